import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parseCommandLine } from '../../cli/ctl/command-line.ts'
import { COMMANDS } from '../../cli/ctl/commands.ts'
import gb28181 from '../../plugins/gb28181/index.ts'
import { parseOptions } from '../../plugins/gb28181/device/command/command-options.ts'
import { Config } from '../../core/config/config.ts'
import { TempConfig } from '../../core/config/fixtures/temp-config.ts'
import { runPeer } from '../peers/process.ts'
import { allBlocksOf } from '../support/doc-blocks.ts'

const PAGE = 'docs/gb28181.md'

describe(PAGE, () => {
  it('has configs without a mistake, and names no key that there is not', async () => {
    const page = await readFile(PAGE, 'utf8')
    for (const text of await allBlocksOf(PAGE, 'yaml')) {
      await using temp = await TempConfig.create(text)
      const config = await Config.load({ file: temp.file, env: {} })
      config.declare(gb28181)
      expect([...config.problems, ...config.warnings(), ...config.undeclaredSections()]).to.eql([])
      const keys = new Set(config.describe('gb28181').map(({ key }) => key))
      const rows = /^## Configuration\n(.*?)^## /msu.exec(page)?.[1] ?? ''
      const named = [...rows.matchAll(/^\| (`.*?) \|/gmu)].flatMap(([, cell = '']) => [
        ...cell.matchAll(/`([\w.]+)`/gu),
      ])
      expect(named.length).to.be.greaterThan(12)
      expect(named.map(([, key = '']) => key).filter((key) => !keys.has(key))).to.eql([])
    }
  })

  it('has commands that a shell, sluice ctl and sluice gb-device understand', async () => {
    const page = await readFile(PAGE, 'utf8')
    for (const script of await allBlocksOf(PAGE, 'sh')) await runPeer('bash', ['-nc', script])
    const asked = [...page.matchAll(/^(?:\$ )?sluice ctl (.*?)(?: {2,}#.*)?$/gmu)].map(([, words = '']) => words)
    expect(asked.length).to.be.greaterThan(8)
    for (const words of asked) {
      expect(parseCommandLine(words.split(' '), COMMANDS), words).to.include({ kind: 'command' })
    }
    const [, device = ''] = /^sluice gb-device (.*?[^\\])$/msu.exec(page) ?? []
    const options = parseOptions(device.split(/[\s\\]+/u), { GB_PASSWORD: 'x' })
    expect(options?.ids).to.eql(['34020000001110000001'])
  })

  it('is linked from the README', async () => {
    expect(await readFile('README.md', 'utf8')).to.include(`(${PAGE})`)
  })
})
