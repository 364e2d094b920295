/** Progress of long commands: a bar on a terminal, and lines in a file or a log. */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { createProgressReporter, startProgress } from '#core/boot/progress'
import { until } from '../../support/until.ts'
import { terminal } from '../cli/support.ts'

/** A screen of 80 columns that keeps everything drawn on it. */
function screen() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  let text = ''
  stream.on('data', (piece) => {
    text += String(piece)
  })
  return { stream, text: () => text }
}

describe('the progress of a long command', () => {
  it('is one line per tenth when the output is not a terminal', async () => {
    const io = terminal()
    const progress = await startProgress(io, { title: 'Exporting records', total: 20_000 })
    for (let index = 0; index < 20_000; index += 1) progress.advance()
    progress.end()
    const lines = io.errors.trim().split('\n')
    expect(lines).to.have.lengthOf(10)
    expect(lines[0]).to.equal('Exporting records: 2000 of 20000 (10 %)')
    expect(lines[9]).to.equal('Exporting records: 20000 of 20000 (100 %)')
    expect(io.output).to.equal('')
  })

  it('counts steps of several records each', async () => {
    const io = terminal()
    const progress = await startProgress(io, { title: 'Rotating', total: 12_000 })
    for (const count of [5000, 5000, 2000]) progress.advance(count)
    expect(io.errors).to.equal(
      'Rotating: 5000 of 12000 (41 %)\nRotating: 10000 of 12000 (83 %)\nRotating: 12000 of 12000 (100 %)\n',
    )
  })

  it('is a bar with an estimate on a terminal', async () => {
    const { stream, text } = screen()
    const io = { ...terminal(), progressStream: stream }
    const progress = await startProgress(io, { title: 'Importing records', total: 40_000 })
    progress.advance(40_000)
    progress.end()
    expect(text()).to.include('Importing records').and.include('40000 of 40000').and.match(/left/)
    expect(text()).to.include('100 %')
    expect(io.errors).to.equal('')
  })

  it('names the next step on its own line when there are few steps', async () => {
    const io = terminal()
    const progress = await startProgress(io, { title: 'Measuring', total: 3, fewest: 0, unit: 'scenarios' })
    for (const [index, name] of ['chat', 'curve', 'cache'].entries())
      progress.advance(index === 0 ? 0 : 1, name)
    progress.advance()
    expect(io.errors.trim().split('\n')).to.deep.equal([
      'Measuring: 0 of 3 scenarios (0 %), chat',
      'Measuring: 1 of 3 scenarios (33 %), curve',
      'Measuring: 2 of 3 scenarios (66 %), cache',
      'Measuring: 3 of 3 scenarios (100 %)',
    ])
  })

  it('follows work that reports its own progress, one title after another', async () => {
    const io = terminal()
    const { report, end } = createProgressReporter(io)
    for (const done of [6000, 12_000]) report('Migrating to 8', done, 12_000)
    report('Migrating to 10', 500, 500)
    report('Migrating to 11', 12_000, 12_000)
    end()
    await until('the last line', () => io.errors.includes('to 11'))
    expect(io.errors.trim().split('\n')).to.deep.equal([
      'Migrating to 8: 6000 of 12000 (50 %)',
      'Migrating to 8: 12000 of 12000 (100 %)',
      'Migrating to 11: 12000 of 12000 (100 %)',
    ])
  })

  it('is not shown for work that is finished at once', async () => {
    const io = terminal()
    const progress = await startProgress(io, { title: 'Exporting records', total: 9999 })
    progress.advance(9999)
    progress.end()
    expect(io.errors).to.equal('')
  })
})
