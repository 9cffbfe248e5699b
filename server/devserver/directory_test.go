package devserver

import (
	"context"
	"fmt"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openDirectory(t *testing.T, dir string) *Directory {
	t.Helper()
	d, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.root.Close() })
	return d
}

// Files of an app are found with their changes; what is hidden, installed or outside is
// not served.
func TestDirectoryOfAnApp(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, outside, "secret.txt", "secret")
	writeFile(t, dir, "index.html", "<!doctype html>")
	writeFile(t, dir, "assets/app.js", "1")
	writeFile(t, dir, ".env", "KEY=1")
	writeFile(t, dir, ".git/config", "x")
	writeFile(t, dir, "node_modules/a/index.js", "x")
	for link, target := range map[string]string{
		"inside.js": "assets/app.js", "outside.txt": filepath.Join(outside, "secret.txt"), "up": "..", "dangling": "none",
		"env.txt": ".env", "git.txt": ".git/config", "module.js": "node_modules/a/index.js", "twice.txt": "env.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := openDirectory(t, dir)
	poll := func(want bool, names ...string) {
		t.Helper()
		changed, err := d.poll()
		if got := slices.Sorted(maps.Keys(d.files)); err != nil || changed != want || !slices.Equal(got, names) {
			t.Errorf("changed %v, %q, %v; want %v, %q", changed, got, err, want, names)
		}
	}
	poll(true, "/assets/app.js", "/index.html", "/inside.js")
	poll(false, "/assets/app.js", "/index.html", "/inside.js")
	writeFile(t, dir, "assets/app.js", "22")
	poll(true, "/assets/app.js", "/index.html", "/inside.js")
	if string(d.files["/assets/app.js"]) != "22" || string(d.files["/inside.js"]) != "22" {
		t.Errorf("%q", d.files)
	}
	if err := os.Chtimes(filepath.Join(dir, "index.html"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	poll(true, "/assets/app.js", "/index.html", "/inside.js") // as large as before, written at another time
	if err := os.Remove(filepath.Join(dir, "inside.js")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "new.css", "")
	poll(true, "/assets/app.js", "/index.html", "/new.css")
}

// What cannot be an app is refused with what to do.
func TestDirectoriesThatAreNoApps(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenDirectory(dir); err == nil || !strings.Contains(err.Error(), "has no index.html") {
		t.Error(err)
	}
	if _, err := OpenDirectory(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "open the directory of the app") {
		t.Error(err)
	}
	writeFile(t, dir, "index.html", "")
	large, err := os.Create(filepath.Join(dir, "large.bin"))
	if err == nil {
		err = large.Truncate(maxDirectory + 1) // takes no space
		large.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d := openDirectory(t, dir)
	if _, err := d.poll(); err == nil || !strings.Contains(err.Error(), "name the directory of the built app") {
		t.Error(err)
	}
	os.Remove(filepath.Join(dir, "large.bin"))
	for i := range maxFiles {
		writeFile(t, dir, fmt.Sprintf("many/%d", i), "")
	}
	if _, err := d.poll(); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Error(err)
	}
}

// Watch reports the files at once, each change, and errors once.
func TestDirectoryIsWatched(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "index.html", "one")
	d, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		text string
		err  error
	}
	events, ended := make(chan event), make(chan struct{})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() {
		defer close(ended)
		d.Watch(ctx, func(files map[string][]byte, err error) {
			select {
			case events <- event{string(files["/index.html"]), err}:
			case <-ctx.Done():
			}
		})
	}()
	if e := <-events; e.text != "one" || e.err != nil {
		t.Errorf("%+v", e)
	}
	writeFile(t, dir, "index.html", "changed")
	if e := <-events; e.text != "changed" || e.err != nil {
		t.Errorf("%+v", e)
	}
	stop()
	<-ended
}

// An app has its own Content-Security-Policy, and may have routes of its own.
func TestAppsAreServedAsTheyAre(t *testing.T) {
	for _, singlePage := range []bool{false, true} {
		app := NewApp(singlePage)
		if err := app.Listen("127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		app.Set(map[string][]byte{"/index.html": []byte("the app"), "/photo.JPG": {1}})
		go app.Serve(8808)
		defer app.Close()
		want := map[string]int{"/": 200, "/photo.JPG": 200, "/route/of/the/app": 404, "/missing.js": 404}
		if singlePage {
			want["/route/of/the/app"] = 200
		}
		for path, status := range want {
			answer := get(t, strings.TrimSuffix(app.URL(), "/")+path)
			if answer.StatusCode != status || answer.Header.Get("Content-Security-Policy") != "frame-ancestors 'self'" {
				t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
			}
		}
		if answer := get(t, app.URL()+"photo.JPG"); answer.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("%v", answer.Header)
		}
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	answer, err := gatewaytest.HTTP.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}
