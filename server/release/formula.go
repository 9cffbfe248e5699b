package release

import (
	"fmt"
	"strings"
)

// formula returns the Homebrew formula of the archives with the given hashes, by file name.
// https://docs.brew.sh/Formula-Cookbook
func formula(version, description string, hashes map[string]string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `class Pagemcp < Formula
  desc %q
  homepage %q
  version %q
  license "MIT"
`, description, repository, version)
	for _, system := range [...]struct{ os, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		fmt.Fprintf(&b, "\n  %s do\n", system.block)
		for _, cpu := range [...]struct{ arch, block string }{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			name := archiveName(version, Platform{system.os, cpu.arch})
			if hashes[name] == "" {
				return "", fmt.Errorf("write the formula: there is no %s", name)
			}
			fmt.Fprintf(&b, "    %s do\n      url %q\n      sha256 %q\n    end\n", cpu.block, downloadURL(version, name), hashes[name])
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "pagemcp"
    bash_completion.install "completions/pagemcp.bash" => "pagemcp"
    zsh_completion.install "completions/_pagemcp"
    fish_completion.install "completions/pagemcp.fish"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pagemcp --version")
  end
end
`)
	return b.String(), nil
}

// formulaDescription is the manifest's first clause: Homebrew allows at most 80 characters, and
// neither a full stop nor the name.
const formulaDescription = "Gateway between web pages and AI assistants by the Model Context Protocol"
