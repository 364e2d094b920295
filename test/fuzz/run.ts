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
    seconds: { type: 'string', default: '30' },
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

/** The thread that fuzzes; null before the first target, and after one whose parser did not return. */
const fuzzing: { thread: Worker | null } = { thread: null }

function startThread(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url))
    const bound = setTimeout(() => {
      void worker.terminate()
      reject(new Error(`The parsers were not loaded within ${startMs / 1000} s.`))
    }, startMs)
    worker.once('error', (error) => {
      clearTimeout(bound)
      reject(error)
    })
    worker.once('message', () => {
      clearTimeout(bound)
      worker.removeAllListeners('error')
      resolve(worker)
    })
  })
}

async function fuzz(task: Task): Promise<Outcome> {
  fuzzing.thread ??= await startThread()
  const worker = fuzzing.thread
  return new Promise((resolve, reject) => {
    let input = ''
    let inputs = 0
    const done = (outcome: Outcome) => {
      clearTimeout(bound)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      resolve(outcome)
    }
    const hang = () => {
      void worker.terminate()
      fuzzing.thread = null
      const reason = `The parser did not return within ${hangMs / 1000} s.`
      done({ inputs, finding: { input, path: '', reason } })
    }
    const bound = setTimeout(hang, hangMs)
    worker.on('message', (message: Message) => {
      bound.refresh()
      if (message.kind === 'started') {
        input = message.input
        inputs += 1
      } else if (message.kind === 'ended') done(message)
    })
    worker.on('error', (error) => {
      clearTimeout(bound)
      reject(error)
    })
    worker.postMessage(task)
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
await fuzzing.thread?.terminate()
console.log(`  ${names.length - failing} passing\n  ${failing} failing`)
process.exitCode = failing === 0 ? 0 : 1
