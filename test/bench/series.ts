/** What a plot shows: for each server a line of points. */
export interface Series {
  /** As in `--only`. */
  scenario: string
  /** Names the plot's file. */
  name: string
  title: string
  x: Axis
  y: Axis
  lines: Readonly<Record<string, readonly Point[]>>
}

export interface Axis {
  title: string
  /** Default: linear, from 0. */
  scale?: 'log'
}

export type Point = readonly [x: number, y: number]
