/** Image sizes (`1024x1024`) for providers that expect width and height, or an aspect ratio. */

export interface ImageSize {
  width: number
  height: number
}

/** Parses a size; null for other values, such as `auto`. */
export function parseSize(size: string): ImageSize | null {
  const match = /^(\d{1,5})[x*](\d{1,5})$/i.exec(size.trim())
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  return width > 0 && height > 0 ? { width, height } : null
}

/** The nearest of some aspect ratios (`16:9`) for a size. */
export function nearestRatio({ width, height }: ImageSize, ratios: readonly string[]): string {
  const [first = '1:1', ...others] = ratios
  // Ratios are compared by their logarithms: wide and tall ones are then equally far from a square.
  const distance = (ratio: string) => Math.abs(Math.log(shapeOf(ratio) / (width / height)))
  return others.reduce((nearest, ratio) => (distance(ratio) < distance(nearest) ? ratio : nearest), first)
}

function shapeOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return width / height
}
