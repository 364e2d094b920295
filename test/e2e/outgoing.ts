/** Records where this process connects to while a block of tests runs, to detect a mock that calls its vendor. */
import { Socket } from 'node:net'

/** Hosts that were looked up, and addresses that were tried. */
export function watchOutgoing(): Set<string> {
  const seen = new Set<string>()
  const { connect } = Socket.prototype
  before(() => {
    Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
      this.once('lookup', (_error, _address, _family, host) => seen.add(host))
      this.once('connectionAttempt', (address) => seen.add(address))
      return Reflect.apply(connect, this, given) as Socket
    } as typeof connect
  })
  after(() => {
    Socket.prototype.connect = connect
  })
  return seen
}
