import { expect } from 'chai'
import { parseOptions, WrongOptions } from './command-options.ts'
import { eventLine } from './event-line.ts'
import { HELP } from './help.ts'

const SERVER = ['--server', 'sip:34020000002000000001@192.168.1.2:5061']

describe('the options of sluice gb-device', () => {
  const parsed = (...args: readonly string[]) => parseOptions([...SERVER, ...args], { GB_PASSWORD: 'secret' })

  it('have defaults for all but the server', () => {
    const options = parsed()
    expect(options).to.deep.include({ ids: ['34020000001110000001'], sharesSocket: false, recordedMs: 0, ffmpeg: {} })
    expect(options!.device).to.deep.include({
      server: { id: '34020000002000000001', host: '192.168.1.2', port: 5061 },
      password: '',
      transport: 'udp',
      expires: 3600,
      keepaliveSeconds: 60,
      channels: 1,
      quirks: [],
    })
  })

  it('name devices one after another, what they send and what they do wrong', () => {
    const who = '--count 3 --id 34020000001110000009 --password-env GB_PASSWORD --transport tcp --realm r'
    const media = '--codec h265 --audio aac --recordings 30m --quirk no-y,lose=9 --quirk slices'
    const speech = '--charset utf-8 --gb-version 3.0 --position 116.3,39.9'
    const options = parsed(...[who, media, speech].join(' ').split(' '))
    expect(options!.ids).to.eql(['34020000001110000009', '34020000001110000010', '34020000001110000011'])
    expect(options).to.deep.include({ recordedMs: 1_800_000, ffmpeg: { codec: 'h265', audio: 'aac', slices: 4 } })
    expect(options!.device).to.deep.include({
      password: 'secret',
      transport: 'tcp',
      charset: 'UTF-8',
      version: '3.0',
      quirks: ['no-y', 'lose=9', 'slices'],
      position: { longitude: 116.3, latitude: 39.9 },
    })
    expect(options!.device.server.realm).to.equal('r')
  })

  it('read a file as it is, unless ffmpeg is asked for another codec', () => {
    expect(parsed('--file', 'a.flv')).to.include({ file: 'a.flv', ffmpeg: undefined })
    expect(parsed('--file', 'a.mp4', '--audio', 'none')!.ffmpeg).to.eql({ file: 'a.mp4', audio: 'none' })
  })

  it('ask for the help', () => {
    expect(parseOptions(['-h'], {})).to.equal(undefined)
    expect(HELP).to.include('--password-env').and.include('own-ssrc')
  })

  const wrong = [
    { args: ['--transport', 'sctp'], says: '--transport is one of udp, tcp' },
    { args: ['--quirk', 'none'], says: 'there is no quirk "none"' },
    { args: ['--password-env', 'MISSING'], says: 'the environment has no MISSING' },
    { args: ['--count', '0'], says: '--count is a number' },
    { args: ['--recordings', '1x'], says: '--recordings is a time' },
    { args: ['--position', 'here'], says: '--position is LON,LAT' },
    { args: ['--file', 'a', '--test-picture'], says: 'not both' },
    { args: ['--id', 'x'], says: '--id' },
    { args: ['--server', 'http://a'], says: '--server is sip:ID@HOST:PORT' },
    { args: ['--server', 'sip:1.2.3.4'], says: 'has no id' },
    { args: ['--unknown'], says: '--unknown' },
    { args: ['word'], says: 'word' },
  ]
  for (const { args, says } of wrong) {
    it(`refuse ${args.join(' ')}`, () => expect(() => parsed(...args)).to.throw(WrongOptions, says))
  }

  it('need a server', () => expect(() => parseOptions([], {})).to.throw(WrongOptions, '--server is missing'))
})

describe('the lines of sluice gb-device', () => {
  it('tell what has happened to whom', () => {
    const line = (event: Parameters<typeof eventLine>[1]) => eventLine('34', event).replace(/^\S+ /u, '')
    expect(line({ kind: 'registered', expires: 60, serverVersion: '3.0' })).to.equal(
      '34 registered for 60 s, at a platform of 3.0',
    )
    expect(line({ kind: 'refused', status: 403 })).to.equal('34 was refused: 403')
    expect(line({ kind: 'bye', channelId: '35', session: 'Play', by: 'platform' })).to.equal(
      '34 bye 35 Play, by the platform',
    )
  })
})
