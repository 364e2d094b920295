/**
 * Temporary AWS credentials: how long they are cached, and how they are requested.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html
 */
import { GatewayError } from '@gateway/contract'
import { awsAuth, awsCredentials, readAwsEnvironment } from '@gateway/provider-kit'
import { expect } from 'chai'
import {
  assumed,
  document,
  formOf,
  hourMs,
  json,
  keyOf,
  open,
  request,
  role,
  stored,
  thrownBy,
} from './fixtures/aws-process.ts'
import { createIo, nowMs } from './fixtures/context.ts'

describe('a temporary AWS credential', () => {
  const serviceRole = stored({ aws_auth_type: 'serviceRole' })
  const environment = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/c' }

  it('is cached until five minutes before it expires, and then renewed', async () => {
    let clock = nowMs
    let count = 0
    const answer = () => json(document(`ASIA${++count}`, clock + hourMs))
    const { sign, io } = open({ environment, answer, now: () => clock })
    const keyAt = async (time: number) => {
      clock = time
      return keyOf((await sign(serviceRole)).headers)
    }
    const keys = [await keyAt(nowMs), await keyAt(nowMs + hourMs - 301_000), await keyAt(nowMs + hourMs)]
    expect(keys).to.deep.equal(['ASIA1', 'ASIA1', 'ASIA2'])
    expect(io.fetched).to.have.length(2)
  })

  it('is requested once for concurrent callers', async () => {
    const { sign, io } = open({ environment, answer: async () => json(document('ASIAONE')) })
    const keys = await Promise.all([1, 2, 3].map(async () => keyOf((await sign(serviceRole)).headers)))
    expect(keys).to.deep.equal(['ASIAONE', 'ASIAONE', 'ASIAONE'])
    expect(io.fetched).to.have.length(1)
  })

  it('is separate for each role', async () => {
    const { sign, io } = open({
      environment: { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' },
      answer: (sent) => assumed('AssumeRole', `ASIA${formOf(sent).RoleArn?.at(-1)}`),
    })
    const keyFor = async (name: string) =>
      keyOf((await sign(stored({ aws_auth_type: 'assumedRole', aws_role_arn: role + name }))).headers)
    expect([await keyFor('1'), await keyFor('2'), await keyFor('1')]).to.deep.equal([
      'ASIA1',
      'ASIA2',
      'ASIA1',
    ])
    expect(io.fetched).to.have.length(2)
  })

  for (const reason of [
    new GatewayError('request_timeout', 'Too late.'),
    new DOMException('The client disconnected.', 'AbortError'),
  ]) {
    it(`is still delivered when its first requester disconnects (${reason.name})`, async () => {
      const read = readAwsEnvironment(environment)
      const auth = awsAuth({ service: 'bedrock', environment: read, credentials: awsCredentials(read) })
      let leave: (error: unknown) => void = () => undefined
      const first = createIo(() => new Promise((_, reject) => (leave = reject)))
      const second = createIo(() => json(document('ASIASECOND')))
      const settings = { provider: 'bedrock', ...serviceRole }
      const leaving = thrownBy(
        Promise.resolve(auth(request, settings, { ...first, signal: AbortSignal.abort(reason) })),
      )
      const staying = Promise.resolve(auth(request, settings, second))
      await Promise.resolve()
      leave(reason)
      expect(await leaving).to.equal(reason)
      expect(keyOf((await staying).headers)).to.equal('ASIASECOND')
    })
  }
})
