/** The screen of a command of the tests: a bar on a terminal, lines otherwise. */
import type { ProgressOutput } from '#core/boot/progress'

export const onScreen = (): ProgressOutput => ({
  err: (text) => process.stderr.write(text),
  ...(process.stderr.isTTY === true ? { progressStream: process.stderr } : {}),
})
