import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { parseExtensionMessage, serializeExtensionMessage } from './extension-message.ts'
import { parseTurnedText, serializeTurnedText } from './turned-text.ts'

describe('the handshake extension message', () => {
  const bytes = Buffer.from('00010501000000bf0078012c', 'hex')
  const message = { version: 0x010501, flags: 0xbf, receiveLatencyMs: 120, sendLatencyMs: 300 }

  it('is read and written', () => {
    expect(parseExtensionMessage(bytes)).to.deep.equal(message)
    expect(serializeExtensionMessage(message).toString('hex')).to.equal(bytes.toString('hex'))
  })

  it('is refused where it is cut off', () => {
    expect(() => parseExtensionMessage(bytes.subarray(0, 11))).to.throw(MalformedError)
  })

  it('writes a latency above its limit as the limit', () => {
    const written = serializeExtensionMessage({ ...message, receiveLatencyMs: 70_000 })
    expect(parseExtensionMessage(written).receiveLatencyMs).to.equal(65_535)
  })
})

describe('text of an extension', () => {
  const cases = [
    // ffmpeg -f mpegts 'srt://…?streamid=publish:/live/a'
    ['publish:/live/a', '6c6275703a68736976696c2f00612f65'],
    ['live', '6576696c'],
    ['', ''],
  ] as const

  for (const [text, hex] of cases) {
    it(`reads and writes '${text}'`, () => {
      const content = Buffer.from(hex, 'hex')
      expect(parseTurnedText(content)).to.equal(text)
      expect(serializeTurnedText(text).toString('hex')).to.equal(hex)
      expect(content.toString('hex')).to.equal(hex)
    })
  }

  it('reads back what it wrote', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0'))
    fc.assert(
      fc.property(text, (each) => {
        expect(parseTurnedText(serializeTurnedText(each))).to.equal(each)
      }),
    )
  })

  it('reads any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(parseTurnedText(Buffer.from(bytes))).to.be.a('string')
      }),
    )
  })
})
