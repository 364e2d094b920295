/**
 * `npm test`: builds changed packages, then runs test/run/main.ts. For selected tests (`-- PATH`, `-- --changed`) it
 * only compiles: a gateway that they start runs the modules instead of the bundle.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { compile } from '../core/cli/bin/compile.js'
import { isBuildFresh, isBundleFresh, packageFolders, root } from '../core/cli/bin/freshness.js'

const words = process.argv.slice(2)
const isSelection = words.some((word) => word === '--changed' || !word.startsWith('-'))
const folders = [...packageFolders(), join(root, 'test')]

function build() {
  if (isBuildFresh(folders) && isBundleFresh(folders)) return true
  if (isSelection) return compile(folders)
  console.log('Building what has changed …')
  const { status } = spawnSync(process.execPath, [join(root, 'core/cli/bin/build.js'), 'test'], {
    stdio: 'inherit',
  })
  return status === 0
}

if (build()) {
  // Read by test/support/root-hooks.ts.
  if (isBundleFresh(folders)) process.env.TEST_BUNDLED_THREADS = '1'
  await import('./dist/run/main.js')
} else process.exitCode = 1
