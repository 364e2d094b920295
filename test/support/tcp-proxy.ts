/**
 * A TCP proxy on loopback in front of a server, with which a test can cut connections in the middle, or hold back
 * answers.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** Connections that were taken. */
  connections(): number
  /** Pieces of answers that were passed on. */
  answers(): number
  /** Ends every connection immediately and accepts no more. */
  cut(): void
  /** Takes connections again, and forwards everything. */
  mend(): void
  /** Keeps answers back, in their order, until {@link release}. */
  hold(): void
  release(): void
  /** Cuts as soon as an answer has begun: its first byte arrives, nothing more. */
  cutInNextAnswer(): void
  /**
   * Cuts the connection as soon as a client sends this text, in any letter case. If other connections send the same,
   * only the one on which it has sent `after` is cut. `unsent`: before the server gets the text; `unanswered`: once the
   * server has answered, without passing on the answer. Resolves when the connection is cut.
   */
  cutAt(text: string, moment: 'unsent' | 'unanswered', after?: string): Promise<void>
  close(): Promise<void>
}

interface Trap {
  text: string
  after: string
  moment: 'unsent' | 'unanswered'
  sprung(): void
}

/** Forwards to a port of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  let taken = 0
  let passed = 0
  let isBiting = false
  let trap: Trap | null = null
  let held: (() => void)[] | null = null

  function keep(socket: Socket): Socket {
    sockets.add(socket)
    // A cut connection reports its end as an error, which is expected here.
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }

  function cut(): void {
    isCut = true
    held = null
    for (const socket of sockets) socket.resetAndDestroy()
  }

  function forward(incoming: Socket, outgoing: Socket): void {
    let isTrapped = false
    let isArmed = false
    const spring = () => {
      const { sprung } = trap ?? { sprung: () => undefined }
      trap = null
      cut()
      sprung()
    }
    incoming.on('data', (bytes: Buffer) => {
      const sent = trap === null ? '' : bytes.toString('latin1').toLowerCase()
      if (trap !== null && sent.includes(trap.after)) isArmed = true
      if (trap !== null && isArmed && sent.includes(trap.text)) {
        if (trap.moment === 'unsent') return spring()
        isTrapped = true
      }
      outgoing.write(bytes)
    })
    outgoing.on('data', (bytes: Buffer) => {
      if (isTrapped) return spring()
      if (isBiting) {
        isBiting = false
        incoming.write(bytes.subarray(0, 1), cut)
        return
      }
      const pass = () => {
        passed += 1
        incoming.write(bytes)
      }
      if (held === null) pass()
      else held.push(pass)
    })
    incoming.on('close', () => outgoing.destroy())
    outgoing.on('close', () => incoming.destroy())
  }

  const server = createServer((incoming) => {
    keep(incoming)
    if (isCut) {
      incoming.resetAndDestroy()
      return
    }
    taken += 1
    forward(incoming, keep(connect(targetPort, '127.0.0.1')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')

  return {
    port: address.port,
    connections: () => taken,
    answers: () => passed,
    cut,
    mend() {
      isCut = false
      isBiting = false
      trap = null
    },
    hold() {
      held ??= []
    },
    release() {
      const waiting = held ?? []
      held = null
      for (const pass of waiting) pass()
    },
    cutInNextAnswer() {
      isBiting = true
    },
    cutAt: (text, moment, after = '') =>
      new Promise((resolve) => {
        trap = { text: text.toLowerCase(), after: after.toLowerCase(), moment, sprung: resolve }
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
