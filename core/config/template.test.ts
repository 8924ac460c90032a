import { expect } from 'chai'
import { parse } from 'yaml'
import { Config } from './config.ts'
import { configOf, RELAY, TempConfig } from './fixtures/temp-config.ts'
import { configTemplate } from './template.ts'

describe('the template of a config', () => {
  const TEXT = 'global: {loglevel: warn, publish: {key: hush}}\nrelay: {chunksize: 256, passphrase: hush}'

  it('has all keys of all sections with their defaults, whatever the user set, and is a config', async () => {
    const config = await configOf(TEXT)
    config.declare(RELAY)
    const text = configTemplate(config.sections, true)
    expect(text).to.not.include('hush')
    const { global, relay } = parse(text) as Record<string, Record<string, unknown>>
    expect(global).to.include({ loglevel: 'info', datadir: 'data' })
    expect(relay).to.include({ enable: true, chunksize: 1024, linger: '3s' })
    expect(relay).to.have.nested.property('publish.publishtimeout', '7s')
    await using temp = await TempConfig.create(text)
    const again = await Config.load({ file: temp.file, env: {} })
    expect(again.problems).to.eql([])
    again.declare(RELAY)
  })

  it('says what keys are for, and leaves out what all plugins have when that is asked for', async () => {
    const config = await configOf(TEXT)
    config.declare(RELAY)
    const text = configTemplate(config.sections, false)
    expect(text).to.include(
      '  # Folder of what must survive, as seen from the working directory; made when it is missing\n  datadir: data\n',
    )
    const { global, relay } = parse(text) as Record<string, object>
    expect(Object.keys(relay ?? {})).to.eql(['tcp', 'chunksize', 'linger', 'passphrase', 'nicknames', 'pull'])
    expect(global).to.have.property('publish')
  })
})
