/**
 * News that processes send each other through shared state. A process that starts asks for the knowledge of the others;
 * the first answer is sufficient, because every process receives all news. Without shared state, each process knows
 * only its own news.
 */
import { randomUUID } from 'node:crypto'
import type { SharedState } from '@gateway/contract'

interface Envelope {
  /** The sending process. */
  from: string
  event: string
  /** The asking process; only in `known` messages. */
  to?: string | undefined
}

export interface SharedNewsOptions<Message extends Envelope> {
  shared: SharedState
  topic: string
  /** Milliseconds to wait at start-up for another process to answer; 0 if there are no other processes. */
  learnMs: number
  /** Undefined for messages that this version does not support. */
  read(text: string): Message | undefined
  /** Called for the messages of other processes, except `asked` and `known`. */
  hear(message: Message): void
  /** The members of the answer to a process that asks. */
  known(): object
  /** Adopts the answer of another process. */
  takeOver(message: Message): void
  /** Called when news could not be published. */
  reportFault?: ((error: unknown) => void) | undefined
}

export interface SharedNews {
  /** Sends `event` with more members to the other processes; never throws. */
  send(event: string, members: object): void
  /** Whether this process has the knowledge that the others had at its start. */
  hasLearned(): boolean
  close(): void
}

const resubscribeMs = 5000

/** Also resolves when shared state does not answer, and then keeps trying to subscribe. */
export async function openSharedNews<Message extends Envelope>(
  options: SharedNewsOptions<Message>,
): Promise<SharedNews> {
  const { shared, topic, learnMs, reportFault } = options
  const self = randomUUID()
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let learning: NodeJS.Timeout | undefined
  let hasLearned = learnMs === 0
  /** Processes that asked while this one was still loading. */
  const askers = new Set<string>()

  function send(event: string, members: object): void {
    const message = JSON.stringify({ from: self, event, ...members })
    shared.publish(topic, message).catch((error: unknown) => reportFault?.(error))
  }

  function learn(): void {
    if (hasLearned) return
    learning ??= setTimeout(learned, learnMs).unref()
    send('asked', {})
  }

  function learned(): void {
    clearTimeout(learning)
    hasLearned = true
    for (const to of askers) answer(to)
    askers.clear()
  }

  /** A process that is still loading answers later, within the time that the asking process waits. */
  function answer(to: string): void {
    if (hasLearned) send('known', { to, ...options.known() })
    else askers.add(to)
  }

  function hear(text: string): void {
    const message = closed ? undefined : options.read(text)
    if (message === undefined || message.from === self) return
    if (message.event === 'asked') answer(message.from)
    else if (message.event !== 'known') options.hear(message)
    else if (message.to === self) {
      options.takeOver(message)
      learned()
    }
  }

  async function listen(): Promise<void> {
    try {
      await shared.subscribe(topic, hear)
      learn()
    } catch {
      // Shared state is unavailable: it is retried, and this process uses only its own knowledge meanwhile.
      if (!closed) retry = setTimeout(listen, resubscribeMs).unref()
    }
  }

  await listen()
  return {
    send,
    hasLearned: () => hasLearned,
    close() {
      closed = true
      clearTimeout(retry)
      clearTimeout(learning)
    },
  }
}
