/** What differs on Windows, as far as it can be tested on another system. */
import nodePath from 'node:path'
import { expect } from 'chai'
import { signalsOf } from '#core/boot/stop-signals'
import { toml } from '#core/cli/connect/formats/lines'
import { bundleKey } from '#core/discovery/bundle-key'
import { pathOf } from '#store-sql/open-sqlite'

describe('the gateway on Windows', () => {
  it('finds packages in a bundle that was built on another system', () => {
    const entry = 'C:\\app\\dist\\providers\\echo\\dist\\index.js'
    const key = bundleKey('C:\\app\\dist', entry, nodePath.win32)
    expect(key).to.equal('providers/echo/dist/index.js')
    expect(key).to.equal(bundleKey('/app/dist', '/app/dist/providers/echo/dist/index.js', nodePath.posix))
  })

  it('stops when its console is closed, which is a request to reload elsewhere', () => {
    expect([...signalsOf('win32').stop.keys()]).to.deep.equal(['SIGTERM', 'SIGINT', 'SIGBREAK', 'SIGHUP'])
    expect(signalsOf('win32').reload).to.equal(null)
    expect([...signalsOf('linux').stop.keys()]).to.deep.equal(['SIGTERM', 'SIGINT'])
    expect(signalsOf('linux').reload).to.equal('SIGHUP')
  })

  it('opens SQLite files on a drive', () => {
    const paths: [url: string, path: string][] = [
      ['sqlite:./data/gateway.db', 'C:\\work\\data\\gateway.db'],
      ['sqlite:D:\\data\\gateway.db', 'D:\\data\\gateway.db'],
      ['sqlite:///D:/data/gateway.db', 'D:/data/gateway.db'],
      ['sqlite::memory:', ':memory:'],
    ]
    for (const [url, path] of paths) expect(pathOf(url, 'C:\\work', nodePath.win32), url).to.equal(path)
  })

  it('keeps the line ends of settings files', () => {
    const written = 'model = "a"\r\n\r\n[tui]\r\ntheme = "x"\r\n'
    expect(toml.read(written, ['model'])).to.equal('"a"')
    expect(toml.write(written, ['model'], '"b"')).to.equal(written.replace('"a"', '"b"'))
    expect(toml.remove(written, ['tui', 'theme'])).to.equal('model = "a"\r\n')
  })
})
