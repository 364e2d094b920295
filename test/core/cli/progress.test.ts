/** Progress of long commands: a bar on a terminal, and lines where the output goes to a file or a log. */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { startProgress } from '#core/cli/progress'
import { terminal } from './support.ts'

/** A screen of 80 columns that keeps what is drawn on it. */
function screen() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  let text = ''
  stream.on('data', (piece) => {
    text += String(piece)
  })
  return { stream, text: () => text }
}

describe('the progress of a long command', () => {
  it('is a line at every tenth where no person watches', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Exporting records', 20_000)
    for (let index = 0; index < 20_000; index += 1) progress.advance()
    progress.end()
    const lines = io.errors.trim().split('\n')
    expect(lines).to.have.lengthOf(10)
    expect(lines[0]).to.equal('Exporting records: 2000 of 20000 (10 %)')
    expect(lines[9]).to.equal('Exporting records: 20000 of 20000 (100 %)')
    expect(io.output).to.equal('')
  })

  it('counts steps of several records', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Rotating', 12_000)
    for (const count of [5000, 5000, 2000]) progress.advance(count)
    expect(io.errors).to.equal(
      'Rotating: 5000 of 12000 (40 %)\nRotating: 10000 of 12000 (80 %)\nRotating: 12000 of 12000 (100 %)\n',
    )
  })

  it('is a bar with an estimate on a terminal', async () => {
    const { stream, text } = screen()
    const io = { ...terminal(), progressStream: stream }
    const progress = await startProgress(io, 'Importing records', 40_000)
    progress.advance(40_000)
    progress.end()
    expect(text()).to.include('Importing records').and.include('40000 of 40000').and.match(/left/)
    expect(text()).to.include('100 %')
    expect(io.errors).to.equal('')
  })

  it('is not shown for work that is done at once', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Exporting records', 9999)
    progress.advance(9999)
    progress.end()
    expect(io.errors).to.equal('')
  })
})
