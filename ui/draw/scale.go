package draw

import (
	"image"
	"image/color"
	"image/draw"
)

// fit returns a picture that is at most as wide and high, in its proportions. A pixel of a smaller one is the average of
// those that it represents.
func fit(img image.Image, width, height int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if w > width {
		w, h = width, max(b.Dy()*width/b.Dx(), 1)
	}
	if h > height {
		w, h = max(b.Dx()*height/b.Dy(), 1), height
	}
	from := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(from, from.Bounds(), img, b.Min, draw.Src)
	if w == b.Dx() && h == b.Dy() {
		return from
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			area := image.Rect(x*b.Dx()/w, y*b.Dy()/h, (x+1)*b.Dx()/w, (y+1)*b.Dy()/h)
			to.SetRGBA(x, y, average(from, area))
		}
	}
	return to
}

// average returns the average colour of an area, which has a pixel at least.
func average(img *image.RGBA, area image.Rectangle) color.RGBA {
	var sum [4]int
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := img.Pix[img.PixOffset(area.Min.X, y):img.PixOffset(area.Max.X, y)]
		for i, v := range row {
			sum[i%4] += int(v)
		}
	}
	n := area.Dx() * area.Dy()
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), uint8(sum[3] / n)}
}
