/** Runs the bundle, with what V8 made of its functions when it was built: compiling them anew takes longer than a start. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { bundle, bundleCode } from './freshness.js'

// The heap may grow by 40 % between collections, not by several times: less memory for hardly more work. Said here, as
// compiled code is only taken by a process with the flags of the one that made it.
setFlagsFromString('--heap-growing-percent=40')

/**
 * Gives what the bundle exports, and the script it is. V8 refuses code of another version and compiles then; of the text it
 * only compares the length, so that code is taken away before the bundle is replaced.
 */
export function loadBundle() {
  const text = readFileSync(bundle, 'utf8')
  const script = new Script(`(function(exports,require,module,__filename,importOutside){${text}\n})`, {
    filename: bundle,
    cachedData: readIfThere(bundleCode),
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, (url) => import(url))
  return { exports: module.exports, script }
}

function readIfThere(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
