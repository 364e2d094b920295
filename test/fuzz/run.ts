/**
 * Runs the fuzz targets one after the other within a time budget. `npm run fuzz -- [--seconds N] [--target NAME]
 * [--seed N] [--path PATH]` A finding is printed with its seed, its path and its smallest input; then the exit code is
 * 1.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { targets } from './targets.ts'
import type { Finding, Message, Task } from './worker.ts'

interface Outcome {
  inputs: number
  finding: Finding | null
}

/** The time limit for one input, which is generous for busy machines. */
const hangMs = 30_000
/** The time limit for loading the parsers. */
const startMs = 300_000

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fffffff)) },
    path: { type: 'string' },
  },
})

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

const seconds = Number(values.seconds)
if (!(seconds > 0)) stop('--seconds must be a positive number.')
const seed = Number(values.seed)
if (!Number.isInteger(seed)) stop('--seed must be an integer.')
if (values.path !== undefined && values.target === undefined) stop('--path needs --target.')
const names = targets.map(({ name }) => name).filter((name) => name === (values.target ?? name))
if (names.length === 0) stop(`--target must be one of ${targets.map(({ name }) => name).join(', ')}.`)

function fuzz(task: Task): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: task })
    let input = ''
    let inputs = 0
    const hang = () => {
      void worker.terminate()
      const reason = `The parser did not return within ${hangMs / 1000} s.`
      resolve({ inputs, finding: { input, path: '', reason } })
    }
    let bound = setTimeout(() => {
      void worker.terminate()
      reject(new Error(`The parsers were not loaded within ${startMs / 1000} s.`))
    }, startMs)
    worker.on('message', (message: Message) => {
      if (message.kind === 'ready') {
        clearTimeout(bound)
        bound = setTimeout(hang, hangMs)
        return
      }
      bound.refresh()
      if (message.kind === 'started') {
        input = message.input
        inputs += 1
        return
      }
      clearTimeout(bound)
      void worker.terminate()
      resolve(message)
    })
    worker.on('error', (error) => {
      clearTimeout(bound)
      reject(error)
    })
  })
}

const replayOf = (name: string, path: string): string =>
  `npm run fuzz -- --target ${name} --seed ${seed}${path === '' ? '' : ` --path ${path}`}`

console.log(`seed ${seed}, ${seconds} s for ${names.length} targets`)
let failing = 0
for (const target of names) {
  const budgetMs = (seconds * 1000) / names.length
  const { inputs, finding } = await fuzz({ target, seed, path: values.path ?? null, budgetMs })
  console.log(`${finding === null ? 'ok     ' : 'FINDING'} ${target}: ${inputs} inputs`)
  if (finding === null) continue
  failing += 1
  console.log(`input:  ${finding.input}\nreplay: ${replayOf(target, finding.path)}\n${finding.reason}\n`)
}
console.log(`  ${names.length - failing} passing\n  ${failing} failing`)
process.exitCode = failing === 0 ? 0 : 1
