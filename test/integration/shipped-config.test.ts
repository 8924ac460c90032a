import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Config } from '../../core/config/config.ts'
import { TempConfig } from '../../core/config/fixtures/temp-config.ts'
import alarm from '../../plugins/alarm/index.ts'
import alias from '../../plugins/alias/index.ts'
import annexb from '../../plugins/annexb/index.ts'
import console from '../../plugins/console/index.ts'
import crontab from '../../plugins/crontab/index.ts'
import demo from '../../plugins/demo/index.ts'
import audio from '../../plugins/audio/index.ts'
import flv from '../../plugins/flv/index.ts'
import gb28181 from '../../plugins/gb28181/index.ts'
import history from '../../plugins/history/index.ts'
import hls from '../../plugins/hls/index.ts'
import home from '../../plugins/home/index.ts'
import jsmpeg from '../../plugins/jsmpeg/index.ts'
import mp4 from '../../plugins/mp4/index.ts'
import proxy from '../../plugins/proxy/index.ts'
import rtmp from '../../plugins/rtmp/index.ts'
import rtsp from '../../plugins/rtsp/index.ts'
import sei from '../../plugins/sei/index.ts'
import snap from '../../plugins/snap/index.ts'
import srt from '../../plugins/srt/index.ts'
import webrtc from '../../plugins/webrtc/index.ts'

const FILE = new URL('../../config/config.yaml', import.meta.url)
const PLUGINS = [
  rtmp,
  rtsp,
  webrtc,
  srt,
  gb28181,
  flv,
  mp4,
  hls,
  annexb,
  jsmpeg,
  audio,
  sei,
  snap,
  alarm,
  alias,
  history,
  crontab,
  proxy,
  demo,
  console,
  home,
]
/** A default as a comment: without a space, so that removing `#` leaves the key where it belongs. */
const COMMENTED_KEY = /^( *)#(?=\S)/gm

async function load(text: string): Promise<Config> {
  await using temp = await TempConfig.create(text)
  const config = await Config.load({ file: temp.file, env: {} })
  for (const plugin of PLUGINS) config.declare(plugin)
  return config
}

describe('the shipped config', () => {
  it('loads without a warning', async () => {
    const config = await load(await readFile(FILE, 'utf8'))
    expect(config.warnings()).to.deep.equal([])
    expect(config.undeclaredSections()).to.deep.equal([])
  })

  for (const section of ['global', ...PLUGINS.map(({ name }) => name)]) {
    it(`shows the true defaults of ${section}`, async () => {
      const text = await readFile(FILE, 'utf8')
      const valuesOf = (config: Config) =>
        Object.fromEntries(config.describe(section).map(({ key, value }) => [key, value]))
      const expected = valuesOf(await load(''))
      expect(valuesOf(await load(text))).to.deep.equal(expected)
      expect(valuesOf(await load(text.replaceAll(COMMENTED_KEY, '$1')))).to.deep.equal(expected)
    })
  }

  it('shows every key of global, and those of each plugin that it does not inherit', async () => {
    const config = await load((await readFile(FILE, 'utf8')).replaceAll(COMMENTED_KEY, '$1'))
    const inherited = new Set(config.describe('global').map(({ key }) => key))
    for (const section of ['global', ...config.declared]) {
      const unset = config.describe(section).filter(({ source }) => source !== 'file')
      const missing = unset.filter(({ key }) => section === 'global' || !inherited.has(key)).map(({ key }) => key)
      expect(missing, section).to.deep.equal([])
    }
  })
})
