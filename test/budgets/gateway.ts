/** The gateway from its modules, whose functions have names and files of their own, unlike those of the bundle. */
import { main } from '#core/cli/main'

process.exitCode = await main(process.argv.slice(2))
