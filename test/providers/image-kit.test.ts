/** The kit's image functions: sizes, aspect ratios, types and formats. */
import { imageData, imageType, nearestRatio, parseSize } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'

const ratios = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21']

describe('image sizes', () => {
  const sizes: [written: string, size: object | null][] = [
    ['1024x768', { width: 1024, height: 768 }],
    [' 1024X768 ', { width: 1024, height: 768 }],
    ['1024*768', { width: 1024, height: 768 }],
    ['auto', null],
    ['0x768', null],
    ['1024x', null],
    ['1024x768x3', null],
    ['999999999x1', null],
  ]
  for (const [written, size] of sizes)
    it(`are parsed from ${JSON.stringify(written)}`, () => expect(parseSize(written)).to.deep.equal(size))

  const shapes: [size: string, ratio: string][] = [
    ['1024x1024', '1:1'],
    ['1792x1024', '16:9'],
    ['1024x1792', '9:16'],
    ['1536x1024', '3:2'],
    ['1280x1024', '5:4'],
    ['4000x1000', '21:9'],
  ]
  for (const [size, ratio] of shapes) {
    it(`have ${ratio} as the aspect ratio nearest to ${size}`, () => {
      expect(nearestRatio(parseSize(size) ?? { width: 1, height: 1 }, ratios)).to.equal(ratio)
    })
  }

  it('have their exact ratio as the nearest at any scale, and the inverse ratio when turned', () => {
    assertProperty(
      fc.property(fc.constantFrom(...ratios), fc.integer({ min: 1, max: 400 }), (ratio, scale) => {
        const [width = 1, height = 1] = ratio.split(':').map((part) => Number(part) * scale)
        expect(nearestRatio({ width, height }, ratios)).to.equal(ratio)
        const turned = ratio.split(':').reverse().join(':')
        expect(nearestRatio({ width: height, height: width }, ratios)).to.equal(turned)
      }),
    )
  })

  it('default to a square without any ratio', () => {
    expect(nearestRatio({ width: 3, height: 1 }, [])).to.equal('1:1')
  })
})

describe('images in an answer', () => {
  const types: [start: number[], type: string][] = [
    [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], 'image/png'],
    [[0xff, 0xd8, 0xff, 0xe1], 'image/jpeg'],
    [[0x52, 0x49, 0x46, 0x46], 'image/webp'],
    [[0x47, 0x49, 0x46, 0x38, 0x39, 0x61], 'image/gif'],
    [[...Buffer.from('<svg xmlns')], 'image/svg+xml'],
    [[1, 2, 3], 'image/png'],
  ]
  for (const [start, type] of types) {
    it(`have type ${type} by their first bytes ${Buffer.from(start).toString('hex')}`, () => {
      expect(imageType(Buffer.from(start).toString('base64'))).to.equal(type)
    })
  }

  it('keep their URL, for any requested format', () => {
    const url = 'HTTPS://images.example/1.png'
    expect(imageData(url, { response_format: 'b64_json' })).to.deep.equal({ url })
  })

  it('keep the type in a data URL', () => {
    expect(imageData('data:image/avif;base64,AAAA', {})).to.deep.equal({ url: 'data:image/avif;base64,AAAA' })
  })
})
