/** Runs the command of `@gateway/core`, which finds the packages that are installed beside it. */
import '@gateway/core/bin'
