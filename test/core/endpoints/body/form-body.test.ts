/** The conversion of a form's fields to the equivalent JSON body. */

import { imageEditRequest, transcriptionRequest } from '@gateway/contract/wire'
import { expect } from 'chai'
import { formBody } from '#core/endpoints/body/form-body'

const fieldsOf = (text: string) =>
  text.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return { name, value }
  })

describe('the fields of a form as a body', () => {
  const transcripts: [fields: string, body: object][] = [
    ['model=whisper-1&language=en', { model: 'whisper-1', language: 'en' }],
    ['temperature=0.5', { temperature: 0.5 }],
    ['temperature=1e-1', { temperature: 0.1 }],
    ['temperature=', { temperature: '' }],
    ['temperature=warm', { temperature: 'warm' }],
    ['stream=true', { stream: true }],
    ['stream=False', { stream: false }],
    ['stream=1', { stream: '1' }],
    ['prompt=true', { prompt: 'true' }],
    ['prompt=12', { prompt: '12' }],
    ['timestamp_granularities[]=word', { timestamp_granularities: ['word'] }],
    [
      'timestamp_granularities[]=word&timestamp_granularities[]=segment',
      { timestamp_granularities: ['word', 'segment'] },
    ],
    ['timestamp_granularities=word', { timestamp_granularities: ['word'] }],
    [
      'timestamp_granularities=word&timestamp_granularities=segment',
      { timestamp_granularities: ['word', 'segment'] },
    ],
    ['timestamp_granularities=["word"]', { timestamp_granularities: ['word'] }],
    ['include[]=logprobs', { include: ['logprobs'] }],
    ['chunking_strategy=auto', { chunking_strategy: 'auto' }],
    [
      'chunking_strategy[type]=server_vad&chunking_strategy[threshold]=0.5&chunking_strategy[prefix_padding_ms]=300',
      { chunking_strategy: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300 } },
    ],
    ['chunking_strategy={"type":"server_vad"}', { chunking_strategy: { type: 'server_vad' } }],
    ['chunking_strategy={"type":', { chunking_strategy: '{"type":' }],
    ['house_rule=7&house[]=true', { house_rule: '7', house: ['true'] }],
    ['model=a&model=b', { model: ['a', 'b'] }],
    ['constructor=a&toString=b', { constructor: 'a', toString: 'b' }],
    ['odd[=a', { 'odd[': 'a' }],
  ]
  for (const [fields, body] of transcripts) {
    it(fields, () => {
      expect(formBody(fieldsOf(fields), transcriptionRequest)).to.deep.equal(body)
    })
  }

  it('parses integers', () => {
    expect(formBody(fieldsOf('n=2&output_compression=80&size=1024x1024'), imageEditRequest)).to.deep.equal({
      n: 2,
      output_compression: 80,
      size: '1024x1024',
    })
  })

  const refused: [fields: string, param: string][] = [
    ['a=1&a[b]=2', '/a'],
    ['a[b]=1&a=2', '/a'],
    ['a[b]=1&a[]=2', '/a'],
    ['a[b]=1&a[b][c]=2', '/a/b'],
    ['__proto__=1', '/__proto__'],
    ['a[__proto__][polluted]=1', '/a'],
    [`a${'[b]'.repeat(20)}=1`, '/a'],
  ]
  for (const [fields, param] of refused) {
    it(`${fields} is refused`, () => {
      expect(() => formBody(fieldsOf(fields), transcriptionRequest))
        .to.throw()
        .with.deep.include({ code: 'invalid_body', param })
      expect({}).not.to.have.property('polluted')
    })
  }
})
