import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { loadDialogue } from '../fixtures/dialogue.ts'
import { bytesOf, bytewise, readAll, readUntilRefused, type Summary } from '../fixtures/read-all.ts'
import { MAX_BODY_SIZE_BYTES, MAX_HEAD_SIZE_BYTES, MAX_HEADERS, MAX_STRAY_BYTES } from './limits.ts'
import { RtspReader } from './reader.ts'

const REQUEST = { kind: 'request', protocol: 'RTSP', version: '1.0', headers: [], body: '', cseq: undefined }
const RESPONSE = { ...REQUEST, kind: 'response' }
const OPTIONS = { ...REQUEST, method: 'OPTIONS', uri: '*', cseq: 1, headers: [['CSeq', '1']] }

const cases: { name: string; text: string; messages: Summary[] }[] = [
  { name: 'a request', text: 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n', messages: [OPTIONS] },
  { name: 'line ends of LF alone', text: 'OPTIONS * RTSP/1.0\nCSeq: 1\n\n', messages: [OPTIONS] },
  { name: 'line ends of CR alone', text: 'OPTIONS * RTSP/1.0\rCSeq: 1\r\r', messages: [OPTIONS] },
  {
    name: 'a body behind line ends of CR, and a frame',
    text: 'OPTIONS * RTSP/1.0\rCSeq: 1\rContent-Length: 2\r\rab$\x01\0\x01a',
    messages: [
      {
        ...OPTIONS,
        headers: [
          ['CSeq', '1'],
          ['Content-Length', '2'],
        ],
        body: 'ab',
      },
      { kind: 'interleaved', channel: 1, payload: '61' },
    ],
  },
  {
    name: 'blanks before a message',
    text: ' \t OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n',
    messages: [OPTIONS],
  },
  {
    name: 'lines that are no headers, and what they go on with',
    text: 'OPTIONS * RTSP/1.0\r\n more\r\nno colon\r\n more\r\n: no name\r\nA b: c\r\n\tmore\r\nCSeq: 1\r\n\r\n',
    messages: [OPTIONS],
  },
  {
    name: 'control characters in headers as blanks',
    text: 'OPTIONS * RTSP/1.0\r\nCSeq: 1\0\r\nA: \x01b\x02\x03c\r\n \x7fd\0\r\n\r\n',
    messages: [
      {
        ...OPTIONS,
        headers: [
          ['CSeq', '1'],
          ['A', 'b c d'],
        ],
      },
    ],
  },
  {
    name: 'an empty Content-Length as none',
    text: 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length:\r\n\r\n',
    messages: [
      {
        ...OPTIONS,
        headers: [
          ['CSeq', '1'],
          ['Content-Length', ''],
        ],
      },
    ],
  },
  {
    name: 'line ends and NULs between messages',
    text: '\r\nOPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n\0\r\n\n\0OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n$\x01\0\x01a\r\n',
    messages: [OPTIONS, OPTIONS, { kind: 'interleaved', channel: 1, payload: '61' }],
  },
  {
    name: 'a response with a body',
    text: 'RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-length:3\r\n\r\nv=0',
    messages: [
      {
        ...RESPONSE,
        status: 200,
        reason: 'OK',
        cseq: 2,
        headers: [
          ['CSeq', '2'],
          ['Content-length', '3'],
        ],
        body: 'v=0',
      },
    ],
  },
  {
    name: 'a response without reason and CSeq',
    text: 'RTSP/1.0 454\r\n\r\n',
    messages: [{ ...RESPONSE, status: 454, reason: '' }],
  },
  {
    name: 'a CSeq that is no number',
    text: 'OPTIONS * RTSP/1.0\r\ncseq: abc\r\n\r\n',
    messages: [{ ...OPTIONS, cseq: undefined, headers: [['cseq', 'abc']] }],
  },
  {
    name: 'RTSP 2.0',
    text: 'PLAY rtsp://a/b RTSP/2.0\r\n\r\n',
    messages: [{ ...REQUEST, version: '2.0', method: 'PLAY', uri: 'rtsp://a/b' }],
  },
  {
    name: 'a URL with a space (ffmpeg)',
    text: 'DESCRIBE  rtsp://a/b c  rtsp/1.0 \r\n\r\n',
    messages: [{ ...REQUEST, method: 'DESCRIBE', uri: 'rtsp://a/b c' }],
  },
  {
    name: 'folded and repeated headers, white space around',
    text: 'OPTIONS * RTSP/1.0\r\nA : \tone\r\n two\r\n\t three \r\nB:\r\nA: four:five\r\n\r\n',
    messages: [
      {
        ...OPTIONS,
        cseq: undefined,
        headers: [
          ['A', 'one two three'],
          ['B', ''],
          ['A', 'four:five'],
        ],
      },
    ],
  },
  {
    name: 'interleaved frames around a request',
    text: '$\x00\x00\x02ab$\xff\x00\x00OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n$\x02\x00\x04$\x01\x00\x00',
    messages: [
      { kind: 'interleaved', channel: 0, payload: '6162' },
      { kind: 'interleaved', channel: 255, payload: '' },
      OPTIONS,
      { kind: 'interleaved', channel: 2, payload: '24010000' },
    ],
  },
  {
    name: 'a request of HTTP, whose Content-Length is none',
    text: 'POST /a HTTP/1.1\r\nContent-Length: 32767\r\n\r\n',
    messages: [
      {
        ...REQUEST,
        protocol: 'HTTP',
        version: '1.1',
        method: 'POST',
        uri: '/a',
        headers: [['Content-Length', '32767']],
      },
    ],
  },
  {
    name: 'a response of HTTP',
    text: 'HTTP/1.0 200 OK\r\n\r\n',
    messages: [{ ...RESPONSE, protocol: 'HTTP', status: 200, reason: 'OK' }],
  },
  {
    name: 'Content-Length twice with one value',
    text: 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx',
    messages: [
      {
        ...OPTIONS,
        headers: [
          ['CSeq', '1'],
          ['Content-Length', '1'],
          ['Content-Length', '1'],
        ],
        body: 'x',
      },
    ],
  },
]

const START = 'OPTIONS * RTSP/1.0\r\n'
const malformed: { name: string; text: string; message: string }[] = [
  { name: 'a TLS hello', text: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', message: 'bytes 1603010200010001' },
  { name: 'a line of no protocol', text: 'HELO mail.example.com\r\n', message: '"HELO mail.exampl"' },
  { name: 'a request without URL', text: 'OPTIONS RTSP/1.0\r\n', message: 'OPTIONS RTSP' },
  { name: 'a request of another protocol', text: 'OPTIONS * SIP/2.0\r\n', message: 'OPTIONS * SIP' },
  { name: 'a status of two digits', text: 'RTSP/1.0 20 OK\r\n', message: 'RTSP/1.0 20 OK' },
  { name: 'binary data within a head', text: `${START}\x80\x01\r\n`, message: 'ends in something else' },
  { name: 'a NUL within the first line', text: 'OPTIONS *\0 RTSP/1.0\r\n', message: '"OPTIONS *"' },
  { name: 'a NUL behind the first line', text: 'OPTIONS * RTSP/1.0\0\r\n', message: 'control character' },
  { name: 'a CR within the first line', text: `OPTIONS a\rb RTSP/1.0\r\n`, message: '"OPTIONS a"' },
  { name: 'a Content-Length of no number', text: `${START}Content-Length: -1\r\n\r\n`, message: 'no number' },
  {
    name: 'two Content-Lengths',
    text: `${START}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    message: 'two different',
  },
  { name: 'a body of 1 MB', text: `${START}Content-Length: 1048576\r\n\r\n`, message: '1048576 bytes, above 131072' },
  { name: 'too many headers', text: `${START}${'a: b\r\n'.repeat(MAX_HEADERS + 1)}`, message: 'more than 64' },
  { name: 'a line without end', text: 'A'.repeat(MAX_HEAD_SIZE_BYTES + 1), message: 'above 16384 bytes' },
  { name: 'a long head', text: `${START}${`a: ${'b'.repeat(500)}\r\n`.repeat(40)}`, message: 'above 16384 bytes' },
]

const OPTIONS_TEXT = 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'
const RESPONSE_TEXT = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n'
const OK = { ...RESPONSE, status: 200, reason: 'OK', cseq: 1, headers: [['CSeq', '1']] }
/** RTP of two channels that are in use. */
const FRAMES = '$\0\0\x0c\x80abcdefghijk$\x01\0\x08\x81\xc8cdefgh'
const FRAME_SUMMARIES: Summary[] = [
  { kind: 'interleaved', channel: 0, payload: bytesOf('\x80abcdefghijk').toString('hex') },
  { kind: 'interleaved', channel: 1, payload: bytesOf('\x81\xc8cdefgh').toString('hex') },
]

/** Bytes that belong to nothing, and stand between messages and frames. */
const strays: { name: string; text: string }[] = [
  { name: 'binary data', text: '\x9b\x03\x77\xfe\x10\x61\x80\x1f' },
  { name: 'binary data that begins as text', text: 'abc\x80\x1fdef\0' },
  { name: 'letters', text: 'xyz ' },
  { name: 'a letter', text: 'x' },
  { name: 'lines of text', text: 'abc\r\n\r\nxyz ' },
  { name: 'a method', text: 'PLAY PLAY ' },
  { name: 'half a method', text: 'GET_PARAM' },
  { name: 'half a status line', text: 'RTSP/1.0 20' },
  { name: 'half a head', text: 'RTSP/1.0 200 OK\r\nCSeq: 7\r\nSess' },
  { name: 'a frame of a channel that is not in use', text: '$\x07\xff\xffabc' },
  { name: 'a dollar', text: '.$' },
  { name: 'a frame of no RTP behind others', text: '\x80$\0\x7f\xff\x10abc' },
  { name: 'a frame that is too small behind others', text: '\x80$\0\0\x07\x80bcdefg' },
  { name: 'a frame without its header', text: '\x80\x60abc\r\ndef\0ghi$' },
  { name: 'its own first bytes', text: '\xff$\0\0' },
]

const captures = [
  'ffmpeg-publish',
  'ffmpeg-play-vlc',
  'ffmpeg-digest',
  'gstreamer-publish',
  'gstreamer-play',
  'gstreamer-digest',
  'vlc-satip-play',
]

/** A reader of a connection that has two channels in use. */
function usedReader(): RtspReader {
  return new RtspReader((channel) => channel < 2)
}

describe('RtspReader', () => {
  for (const { name, text, messages } of cases) {
    it(`reads ${name}, whole and cut anywhere`, () => {
      const bytes = bytesOf(text)
      expect(readAll([bytes])).to.deep.equal(messages)
      expect(readAll(bytewise(bytes))).to.deep.equal(messages)
      for (let at = 0; at <= bytes.length; at += 1) {
        expect(readAll([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).to.deep.equal(messages)
      }
      expect(bytes).to.deep.equal(bytesOf(text))
    })
  }

  for (const { name, text, message } of malformed) {
    it(`refuses ${name}`, () => {
      expect(() => readAll([bytesOf(text)])).to.throw(MalformedError, message)
      expect(() => readAll(bytewise(bytesOf(text)))).to.throw(MalformedError)
    })
  }

  for (const { name, text } of strays) {
    it(`passes over ${name}, whole and cut anywhere`, () => {
      const bytes = bytesOf(`${OPTIONS_TEXT}${text}${FRAMES}${text}${RESPONSE_TEXT}`)
      const reader = usedReader()
      const found = readAll([bytes], reader)
      expect(found).to.deep.equal([OPTIONS, ...FRAME_SUMMARIES, OK])
      expect(reader.strayBytes).to.be.within(2 * text.trimStart().length - 2, 2 * text.length)
      expect(readAll(bytewise(bytes), usedReader())).to.deep.equal(found)
      for (let at = 0; at <= bytes.length; at += 1) {
        const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
        expect(readAll(pieces, usedReader()), `cut at ${at}`).to.deep.equal(found)
      }
    })

    it(`takes no connection for RTSP that begins with ${name}`, () => {
      const end = `\0${'A'.repeat(MAX_HEAD_SIZE_BYTES)}`
      expect(() => readAll([bytesOf(`${text}${end}`)], usedReader())).to.throw(MalformedError)
    })
  }

  it('passes over 64 KB between two messages, and no more', () => {
    const stray = '\xff'.repeat(MAX_STRAY_BYTES)
    const reader = usedReader()
    expect(readAll([bytesOf(`${OPTIONS_TEXT}${stray}${FRAMES}${stray}${OPTIONS_TEXT}`)], reader)).to.have.length(4)
    expect(reader.strayBytes).to.equal(2 * MAX_STRAY_BYTES)
    const tooMuch = bytesOf(`${OPTIONS_TEXT}${stray}\xff`)
    expect(() => readAll([tooMuch], usedReader())).to.throw(MalformedError, 'more than 65536 bytes')
    expect(() => readAll(bytewise(tooMuch), usedReader())).to.throw(MalformedError, 'more than 65536 bytes')
  })

  it('takes a larger body where it is allowed to', () => {
    const reader = new RtspReader()
    reader.maxBodyBytes = 2 * MAX_BODY_SIZE_BYTES
    const body = 'x'.repeat(reader.maxBodyBytes)
    const bytes = bytesOf(`${START}Content-Length: ${body.length}\r\n\r\n${body}`)
    const pieces = [bytes.subarray(0, 70_000), bytes.subarray(70_000, 70_001), bytes.subarray(70_001)]
    expect(readAll(pieces, reader)[0]).to.include({ body })
  })

  it('gives out frames and bodies of one push as views, and others as copies', () => {
    const bytes = bytesOf(`$\0\0\x02ab${START}Content-Length: 2\r\n\r\ncd$\x01\0\x02ef`)
    const reader = new RtspReader()
    reader.push(bytes.subarray(0, -1))
    const frame = reader.read()
    const request = reader.read()
    expect(reader.read()).to.equal(null)
    reader.push(bytes.subarray(-1))
    const split = reader.read()
    bytes.fill(0x78)
    expect(frame).to.deep.include({ payload: Buffer.from('xx') })
    expect(request).to.deep.include({ body: Buffer.from('xx') })
    expect(split).to.deep.include({ payload: Buffer.from('ef') })
  })

  it('goes on where the reader of messages stopped', () => {
    const reader = new RtspReader()
    reader.push(bytesOf('$\0\0\x01a$\0\0'))
    expect(reader.read()).to.deep.include({ payload: Buffer.from('a') })
    reader.push(bytesOf('\x01b'))
    expect(reader.read()).to.deep.include({ payload: Buffer.from('b') })
    expect(reader.read()).to.equal(null)
  })

  it('leaves what follows a head of HTTP to the tunnel', () => {
    const reader = new RtspReader()
    reader.push(bytesOf('POST /a HTTP/1.0\r\n\r\nT1BUSU9OUw=='))
    expect(reader.read()).to.include({ protocol: 'HTTP', method: 'POST' })
    expect(reader.takeRest().toString()).to.equal('T1BUSU9OUw==')
    expect(reader.read()).to.equal(null)
    expect(reader.takeRest()).to.have.length(0)
  })

  it('does not take memory for what a head only claims', () => {
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 500 }, () => {
      const reader = new RtspReader()
      readAll([bytesOf(`${START}Content-Length: ${MAX_BODY_SIZE_BYTES}\r\n\r\nx`)], reader)
      return reader
    })
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(readers.length * 8192)
  })

  it('copies only the frame that two pushes share', () => {
    const bytes = Buffer.concat(Array.from({ length: 10_000 }, () => bytesOf('$\0\0\x04abcd')))
    const reader = new RtspReader()
    let views = 0
    let copies = 0
    for (const piece of [bytes.subarray(0, 65_542), bytes.subarray(65_542)]) {
      reader.push(piece)
      for (let frame = reader.read(); frame !== null; frame = reader.read()) {
        if (frame.kind === 'interleaved' && frame.payload.buffer === bytes.buffer) views += 1
        else copies += 1
      }
    }
    expect([views, copies]).to.deep.equal([9999, 1])
  })

  for (const name of captures) {
    it(`reads ${name} the same in any pieces`, () => {
      const { client, server } = loadDialogue(name)
      for (const bytes of [client, server]) {
        const whole = readAll([bytes])
        expect(readAll(bytewise(bytes))).to.deep.equal(whole)
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
            const ends = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
            expect(readAll(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)))).to.deep.equal(whole)
          }),
          { numRuns: rounds(30) },
        )
      }
    })
  }

  it('finds what ffmpeg sends when it publishes', () => {
    const { client, server } = loadDialogue('ffmpeg-publish')
    const sent = readAll([client])
    expect(sent.flatMap(({ method, cseq }) => (method === undefined ? [] : [[method, cseq]]))).to.deep.equal([
      ['OPTIONS', 1],
      ['ANNOUNCE', 2],
      ['SETUP', 3],
      ['SETUP', 4],
      ['RECORD', 5],
    ])
    expect(sent[1]!['body']).to.match(/^v=0\r\n[^]*\r\na=control:streamid=1\r\n$/u)
    expect(sent.slice(5).map(({ channel }) => channel)).to.deep.equal([3, 1, 0, 0, 0, 0, 2, 0, 0])
    expect(readAll([server]).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
  })

  it('keeps both User-Agents of GStreamer', () => {
    const reader = new RtspReader()
    reader.push(loadDialogue('gstreamer-play').client)
    const message = reader.read()
    if (message?.kind !== 'request') throw new Error('no request')
    expect(message.headers.getAll('user-agent')).to.deep.equal([
      'GStreamer/1.22.0',
      'RealMedia Player Version 6.0.9.1235 (linux-2.0-libc6-i386-gcc2.95)',
    ])
    expect(message.headers.get('USER-AGENT')).to.equal('GStreamer/1.22.0')
    expect(message.headers.get('none')).to.equal(undefined)
  })

  it('survives any bytes, with the same result whole and in pieces', () => {
    const seeds = [...cases, ...malformed, ...strays, { text: FRAMES }].map(({ text }) => bytesOf(text.slice(0, 300)))
    const mutated = fc
      .tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255), fc.constantFrom(...seeds), fc.boolean())
      .map(([bytes, at, value, next, hasBegun]) => {
        const copy = Buffer.concat([hasBegun ? bytesOf(OPTIONS_TEXT) : Buffer.of(), bytes, next])
        copy[at % copy.length] = value
        return copy
      })
    const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(mutated, random), (bytes) => {
        const whole = readUntilRefused([bytes], usedReader())
        const inPieces = readUntilRefused(bytewise(bytes), usedReader())
        expect(inPieces.messages).to.deep.equal(whole.messages)
        expect(inPieces.refused === null).to.equal(whole.refused === null)
      }),
      { numRuns: rounds(2000) },
    )
  })
})
