/** What the files of a test process share, such as a browser, and what keeps a process without workers from ending. */
const closers: (() => Promise<unknown>)[] = []

/** Closes something after the last test of a run without workers. Workers are ended by mocha, with all that they opened. */
export function closeAtEnd(close: () => Promise<unknown>): void {
  closers.push(close)
}

export async function closeShared(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()))
}
