import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Config } from '../../core/config/config.ts'
import { TempConfig } from '../../core/config/fixtures/temp-config.ts'
import { parseCommandLine } from '../../cli/ctl/command-line.ts'
import { COMMANDS } from '../../cli/ctl/commands.ts'
import demo from '../../plugins/demo/index.ts'
import mp4 from '../../plugins/mp4/index.ts'
import rtsp from '../../plugins/rtsp/index.ts'
import snap from '../../plugins/snap/index.ts'
import { runPeer } from '../peers/process.ts'
import { allBlocksOf, blocksOf } from '../support/doc-blocks.ts'

const PAGE = 'docs/surveillance.md'

describe(PAGE, () => {
  async function load(): Promise<Config> {
    await using temp = await TempConfig.create((await blocksOf(PAGE, 'yaml'))('enablelogin'))
    const config = await Config.load({ file: temp.file, env: {} })
    for (const plugin of [demo, mp4, rtsp, snap]) config.declare(plugin)
    return config
  }

  it('has a config without a mistake, in which more is kept than is before an event', async () => {
    const config = await load()
    expect([...config.problems, ...config.warnings(), ...config.undeclaredSections()]).to.eql([])
    const secondsOf = (section: string, wanted: string) => {
      const found = config.describe(section).find(({ key }) => key === wanted)
      return Number(/^(\d+)s$/u.exec(String(found?.value))?.[1])
    }
    expect(secondsOf('rtsp', 'publish.buffertime')).to.be.greaterThan(secondsOf('mp4', 'beforeduration'))
  })

  it('has commands that a shell and sluice ctl understand', async () => {
    const scripts = await allBlocksOf(PAGE, 'sh')
    const asked: string[][] = []
    for (const script of scripts) {
      await runPeer('bash', ['-nc', script])
      for (const [, words = ''] of script.matchAll(/sluice ctl (.*?)(?:$| \||\)| {2,}#)/gmu)) asked.push(wordsOf(words))
    }
    expect(asked).to.have.length.greaterThan(8)
    for (const words of asked)
      expect(parseCommandLine(words, COMMANDS), words.join(' ')).to.include({ kind: 'command' })
  })

  it('has as many cameras as it says, with passwords that are read as they were', async () => {
    const [cameras = ''] = await allBlocksOf(PAGE, 'text')
    const addresses = cameras
      .trim()
      .split('\n')
      .map((line) => new URL(line.split(' ')[1] ?? ''))
    expect(addresses.map(({ password }) => decodeURIComponent(password))).to.eql(Array(10).fill('p@ss:w/rd#1'))
  })

  it('is linked from the README', async () => {
    expect(await readFile('README.md', 'utf8')).to.include(`(${PAGE})`)
  })
})

/** Words of a command line as a shell splits it, quotes taken off. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}
