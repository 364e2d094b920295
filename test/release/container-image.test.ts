/**
 * The steps of the Dockerfile without a container runtime: each COPY and RUN in folders that represent the image's,
 * then the entry point and the health check with the image's variables. It runs only on the image's version of Node,
 * because npm installs other packages for other versions. Packages come from npm's cache if possible.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { ignoredBy, readDockerfile, readVariables, readWords, type Stage } from './dockerfile.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The environment of a starting container. */
interface Image {
  /** The folder used as `/`. */
  root: string
  workDir: string
  environment: Record<string, string>
  user: string
  entryPoint: string[]
  command: string[]
  healthCheck: string[]
}

describe('the container image', function () {
  this.timeout(1_200_000)
  let folder = ''
  let image: Image
  let paths: string[]

  before(async function () {
    const stages = readDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'))
    const major = /^node:(\d+)/.exec(stages.at(-1)?.base ?? '')?.[1]
    if (process.versions.node.split('.')[0] !== major) {
      console.log(`      left out: the image has Node ${major}, and this is ${process.version}`)
      this.skip()
    }
    folder = await mkdtemp(join(tmpdir(), 'gateway-image-'))
    // A RUN instruction can set an owner that exists only in the image.
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/chown'), '#!/bin/sh\n', { mode: 0o755 })
    const images = new Map<string, Image>()
    for (const stage of stages) images.set(stage.name, await buildStage(stage, images))
    image = images.get('') ?? expect.fail('The last stage has a name.')
    paths = await pathsOf(image)
  })
  after(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  async function buildStage(stage: Stage, built: ReadonlyMap<string, Image>): Promise<Image> {
    const made: Image = {
      root: join(folder, stage.name === '' ? 'image' : stage.name),
      workDir: '/',
      environment: {},
      user: 'root',
      entryPoint: [],
      command: [],
      healthCheck: [],
    }
    await mkdir(made.root)
    for (const { name, options, text } of stage.instructions) {
      if (name === 'WORKDIR') {
        made.workDir = text
        await mkdir(join(made.root, text), { recursive: true })
      } else if (name === 'COPY') {
        const [from = '', to = ''] = text.split(/\s+/)
        const source = options.from === undefined ? null : (built.get(options.from) ?? expect.fail(text))
        if (source === null) await copyCheckout(join(root, from), join(made.root, made.workDir, to))
        else
          await cp(join(source.root, from), join(made.root, to), { recursive: true, verbatimSymlinks: true })
      } else if (name === 'RUN') await runStep(made, text)
      else if (name === 'ENV')
        made.environment = { ...made.environment, ...readVariables(within(made, text)) }
      else if (name === 'USER') made.user = text
      else if (name === 'ENTRYPOINT') made.entryPoint = readWords(within(made, text))
      else if (name === 'CMD') made.command = readWords(text)
      else if (name === 'HEALTHCHECK') made.healthCheck = readWords(within(made, text))
      else expect(['VOLUME', 'EXPOSE'], 'instructions without a step').to.include(name)
    }
    return made
  }

  const environmentOf = (made: Image) => ({
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: process.env.HOME,
    npm_config_prefer_offline: 'true',
    ...made.environment,
  })

  const runStep = (made: Image, text: string) =>
    run('sh', ['-c', within(made, text)], {
      cwd: join(made.root, made.workDir),
      env: environmentOf(made),
      maxBuffer: 16 * 1024 * 1024,
    })

  /** All paths of the image but those of its volume. */
  const pathsOf = async (made: Image) =>
    (await readdir(join(made.root, 'app'), { recursive: true })).map(String).sort()

  it('runs as an unprivileged user, without packages that only tests and the build need', () => {
    expect(image.user).to.equal('node')
    expect(paths).to.include('core/dist/gateway.cjs')
    expect(paths.filter((path) => path.includes('node_modules'))).to.deep.equal([])
  })

  it('starts with SQLite, passes its health check, stops on SIGTERM and writes to its volume only', async () => {
    const port = await freePort()
    const [program = '', ...words] = [...image.entryPoint, ...image.command]
    const child = spawn(program, words, {
      cwd: join(image.root, image.workDir),
      env: { ...environmentOf(image), GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += String(text)
      })
    const ended = once(child, 'exit')
    try {
      await until(
        'the gateway listens',
        () => {
          if (child.exitCode !== null) throw new Error(output)
          return output.includes('"listening"')
        },
        120_000,
      )
      const [checker = '', ...check] = image.healthCheck
      const env = { ...environmentOf(image), GATEWAY_PORT: String(port) }
      await run(checker, check, { cwd: join(image.root, image.workDir), env })
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).to.deep.equal([0, null])
    expect(await pathsOf(image)).to.deep.equal(paths)
    expect(await readdir(join(image.root, 'data'))).to.include('gateway.db')
  })
})

/** `/app` and `/data` in a text are those of the image. */
const within = (made: Image, text: string) =>
  text.replaceAll(/(?<=^|[\s"=])\/(?=(app|data)\b)/g, `${made.root}/`)

async function copyCheckout(from: string, to: string): Promise<void> {
  const isIgnored = ignoredBy(await readFile(join(root, '.dockerignore'), 'utf8'))
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !isIgnored(relative(from, path)),
  })
}
