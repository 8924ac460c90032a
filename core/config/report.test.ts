import { expect } from 'chai'
import { parse } from 'yaml'
import { configErrorOf, configOf, RELAY } from './fixtures/temp-config.ts'
import { configReport } from './report.ts'

describe('config report', () => {
  it('is YAML with the source of each value', async () => {
    const text = 'global: {publish: {maxcount: 3}}\nrelay: {linger: 4, nicknames: [a, b]}\n'
    const report = configReport(await configOf(text, { SLUICE_RELAY_CHUNKSIZE: '2048' }), [RELAY])
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
    const first = configReport(await configOf('relay: {linger: 1h30m, tcp: ":1936"}'), [RELAY])
    const second = configReport(await configOf(first), [RELAY])
    expect(parse(second)).to.deep.equal(parse(first))
  })

  it('says first what is odd', async () => {
    const config = await configOf('later: {a: b}', { SLUICE_RELAY_CHUNKSIEZ: '5' })
    expect(configReport(config, [RELAY]).split('\n').slice(0, 2)).to.deep.equal([
      '# SLUICE_RELAY_CHUNKSIEZ: unknown variable, did you mean SLUICE_RELAY_CHUNKSIZE?',
      "# line 1: there is no plugin 'later' (yet)",
    ])
  })

  it('fails with the problems of all plugins', async () => {
    const config = await configOf('relay: {chunksize: x}\nother: {enable: x}\n')
    const error = await configErrorOf(() => configReport(config, [RELAY, { name: 'other' }]))
    expect(error.problems.map(({ key }) => key)).to.deep.equal(['relay.chunksize', 'other.enable'])
  })
})
