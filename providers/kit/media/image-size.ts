/** Sizes of images (`1024x1024`) for providers that take lengths, or a ratio of width to height. */

export interface ImageSize {
  width: number
  height: number
}

/** Reads a size; null when it is no pair of lengths, such as `auto`. */
export function parseSize(size: string): ImageSize | null {
  const match = /^(\d{1,5})[x*](\d{1,5})$/i.exec(size.trim())
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  return width > 0 && height > 0 ? { width, height } : null
}

/** Of some ratios (`16:9`) the one whose shape is nearest to the size's. */
export function nearestRatio({ width, height }: ImageSize, ratios: readonly string[]): string {
  const [first = '1:1', ...others] = ratios
  // Shapes are compared by their logarithms, so that a wide and a tall one are equally far from a square.
  const distance = (ratio: string) => Math.abs(Math.log(shapeOf(ratio) / (width / height)))
  return others.reduce((nearest, ratio) => (distance(ratio) < distance(nearest) ? ratio : nearest), first)
}

function shapeOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return width / height
}
