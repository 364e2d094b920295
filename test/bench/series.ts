/** The content of a plot: a line of points for each server. */
export interface Series {
  /** The scenario's name for `--only`. */
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
