package bundle

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The icon of web/demo/icon.svg, 32 units wide: a window with a title bar and a prompt.
// Manifests of extensions do not support SVG.
var (
	iconBlue = color.NRGBA{0x42, 0x63, 0xeb, 0xff}
	iconBar  = color.NRGBA{0xff, 0xff, 0xff, 0x73} // 45 %
	white    = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

const (
	iconUnits = 32
	samples   = 4 // a pixel is the mean of samples × samples points
)

type point struct{ x, y float64 }

// Icon returns the icon of PageMCP as PNG with size × size pixels.
func Icon(size int) ([]byte, error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, icon(size)); err != nil {
		return nil, fmt.Errorf("draw an icon: %w", err)
	}
	return picture.Bytes(), nil
}

// icon draws the icon with size × size pixels.
func icon(size int) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, size, size))
	unit := iconUnits / float64(size)
	for y := range size {
		for x := range size {
			var r, g, b, a float64
			for i := range samples * samples {
				at := point{
					x: (float64(x) + (float64(i%samples)+0.5)/samples) * unit,
					y: (float64(y) + (float64(i/samples)+0.5)/samples) * unit,
				}
				c := iconColour(at)
				alpha := float64(c.A)
				r, g, b, a = r+float64(c.R)*alpha, g+float64(c.G)*alpha, b+float64(c.B)*alpha, a+alpha
			}
			if a > 0 {
				picture.SetNRGBA(x, y, color.NRGBA{uint8(r / a), uint8(g / a), uint8(b / a), uint8(a / (samples * samples))})
			}
		}
	}
	return picture
}

func iconColour(at point) color.NRGBA {
	// The distance to a rectangle with a corner radius of 6.
	dx, dy := math.Max(math.Abs(at.x-16)-7, 0), math.Max(math.Abs(at.y-16)-5, 0)
	switch {
	case math.Hypot(dx, dy) > 6:
		return color.NRGBA{}
	case at.near(1.2, point{11, 17}, point{14, 20}), at.near(1.2, point{14, 20}, point{11, 23}), at.near(1.2, point{17, 23}, point{22, 23}):
		return white
	case math.Abs(at.y-12) < 1:
		return over(iconBar, iconBlue)
	}
	return iconBlue
}

// near reports whether p is within distance of the line from a to b.
func (p point) near(distance float64, a, b point) bool {
	dx, dy := b.x-a.x, b.y-a.y
	t := math.Min(math.Max(((p.x-a.x)*dx+(p.y-a.y)*dy)/(dx*dx+dy*dy), 0), 1)
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy) <= distance
}

// over blends a colour onto an opaque one.
func over(top, ground color.NRGBA) color.NRGBA {
	mix := func(t, g uint8) uint8 { return uint8((int(t)*int(top.A) + int(g)*(255-int(top.A))) / 255) }
	return color.NRGBA{mix(top.R, ground.R), mix(top.G, ground.G), mix(top.B, ground.B), 0xff}
}
