import { expect } from 'chai'
import { parse } from 'yaml'
import { Config } from './config.ts'
import { configErrorOf, configOf, problemLines, RELAY, TempConfig } from './fixtures/temp-config.ts'
import { configReport } from './report.ts'

describe('config report', () => {
  it('is YAML with the source of each value', async () => {
    const text = 'global: {publish: {maxcount: 3}}\nrelay: {linger: 4, nicknames: [a, b]}\n'
    const config = await configOf(text, { SLUICE_RELAY_CHUNKSIZE: '2048' })
    const report = await configReport(config, [RELAY], { all: true })
    const lines = report.split('\n').map((line) => line.trim())
    for (const line of [
      'maxcount: 3 # file',
      'maxcount: 3 # global',
      'linger: 4s # file',
      'nicknames: [ a, b ] # file',
      'pull: {} # plugin',
      'chunksize: 2048 # env',
      'publishtimeout: 7s # plugin',
      'publishtimeout: 10s # default',
    ]) {
      expect(lines).to.include(line)
    }
    expect(parse(report)).to.have.nested.property('relay.tcp.listenaddr', ':1935')
  })

  it('can be used as a config, with the same result', async () => {
    const first = await configReport(await configOf('relay: {linger: 1h30m, tcp: ":1936"}'), [RELAY], { all: true })
    const second = await configReport(await configOf(first), [RELAY], { all: true })
    expect(parse(second)).to.deep.equal(parse(first))
  })

  it('has what differs from the defaults, and nothing else unless asked', async () => {
    const text = 'global: {loglevel: info, publish: {maxcount: 3}}\nrelay: {linger: 3s, publish: {maxcount: 0}}\n'
    const report = await configReport(await configOf(text, { SLUICE_RELAY_CHUNKSIZE: '2048' }), [RELAY])
    expect(report).to.match(
      /^# ok: .*config\.yaml; below is what differs from the defaults, and --all shows the rest\n/u,
    )
    expect(parse(report)).to.deep.equal({
      global: { publish: { maxcount: 3 } },
      relay: { chunksize: 2048, publish: { maxcount: 0 } },
    })
  })

  it('says that all is well where nothing differs', async () => {
    const report = await configReport(await configOf('relay: {linger: 3s}'), [RELAY])
    expect(report).to.match(/^# ok: .*; nothing differs from the defaults, and --all shows the rest\n$/u)
  })

  it('says next what is odd', async () => {
    const text = 'later: {a: b}\nrtsp: {}\nglobal: {plugins_dir: /no/such/folder}'
    const config = await configOf(text, { SLUICE_RELAY_CHUNKSIEZ: '5' })
    expect((await configReport(config, [RELAY])).split('\n').slice(1, 5)).to.deep.equal([
      "# line 1: there is no plugin 'later' (yet)",
      "# line 2: there is no plugin 'rtsp' (yet)",
      "# global.plugins_dir: there is no folder '/no/such/folder' (yet)",
      '# SLUICE_RELAY_CHUNKSIEZ: unknown variable, did you mean SLUICE_RELAY_CHUNKSIZE?',
    ])
  })

  const wrong: readonly (readonly [name: string, text: string, problem: RegExp])[] = [
    ['a section with a slip', 'realy: {}', /^config\.yaml:1:1: there is no plugin 'realy', did you mean 'relay'\?$/u],
    ['a section that is of global', 'HTTP: {}', /^config\.yaml:1:1: .*'HTTP', did you mean 'global\.http'\?$/u],
    ['global with a slip', 'globla: {}', /^config\.yaml:1:1: .*did you mean 'global'\?$/u],
    [
      'a certificate that is not there',
      'relay: {tcp: {certfile: /no/cert.pem, keyfile: /no/key.pem}}',
      /^config\.yaml:1:15: relay\.tcp\.certfile: can't read certfile \/no\/cert\.pem: no such file$/u,
    ],
    [
      'a certificate without key, in a group that plugins inherit',
      'global: {http: {certfile: /no/cert.pem}}',
      /^config\.yaml:1:17: global\.http\.certfile: certfile \/no\/cert\.pem is set, but keyfile is not$/u,
    ],
    [
      'a scheme with a slip',
      'puller: {pull: {live/a: htp://user:s3cret@host/a.m3u8}}',
      /^config\.yaml:1:10: puller\.pull\.live\/a\.url: unknown scheme 'htp', did you mean 'http'\?$/u,
    ],
    [
      'a scheme of a plugin with a slip',
      'puller: {pull: {live/a: gophr://host/a}}',
      /^config\.yaml:1:10: puller\.pull\.live\/a\.url: unknown scheme 'gophr', did you mean 'gopher'\?$/u,
    ],
    [
      'an address that can not be',
      'puller: {onsub: {pull: {^a/(.*)$: http://host:99999/$1}}}',
      /^config\.yaml:1:18: puller\.onsub\.pull\.\^a\/\(\.\*\)\$\.url: is no address/u,
    ],
  ]
  const PULLER = { name: 'puller', provides: ['pull:puller'], protocol: { schemes: { gopher: {} } } }
  for (const [name, text, problem] of wrong) {
    it(`fails with ${name}`, async () => {
      const config = await configOf(text)
      const lines = problemLines(await configErrorOf(() => configReport(config, [RELAY, PULLER])))
      expect(lines).to.have.length(1)
      expect(lines[0]).to.match(problem)
    })
  }

  it('takes sources of any kind, and certificates of plugins that are off', async () => {
    const config = await configOf(`
      puller: {pull: {live/a: rtsp://host/a, live/b: 'http://h/$0', live/c: a/file.mp4, live/d: bluetooth://x}}
      relay: {enable: false, tcp: {certfile: /no/cert.pem}}`)
    expect(await configReport(config, [RELAY, PULLER])).to.match(/^# ok/u)
  })

  it('fails with the problems of global, files and all plugins', async () => {
    await using temp = await TempConfig.create(
      'global: {loglevel: loud}\nrelay: {chunksize: x}\nother: {enable: x}\npuller: {pull: {live/a: htp://x}}\nrealy: {}\n',
    )
    const config = await Config.load({ file: temp.file, env: {} })
    const error = await configErrorOf(() => configReport(config, [RELAY, { name: 'other' }, PULLER]))
    const keys = ['global.loglevel', 'relay.chunksize', 'other.enable', 'puller.pull.live/a.url', '']
    expect(error.problems.map(({ key }) => key)).to.deep.equal(keys)
  })
})
