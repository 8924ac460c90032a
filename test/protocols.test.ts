import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { PluginDefinition } from 'sluice/sdk'
import { protocolOfUrl } from 'sluice/sdk/host'

const PLUGINS = path.resolve(import.meta.dirname, '../plugins')

describe('the protocols of the shipped plugins', () => {
  let plugins: readonly PluginDefinition[]
  before(async () => {
    const names = (await readdir(PLUGINS)).toSorted()
    plugins = await Promise.all(
      names.map(async (name) => {
        const module = (await import(path.join(PLUGINS, name, 'index.ts'))) as { readonly default: PluginDefinition }
        return module.default
      }),
    )
  })

  const cases: readonly (readonly [url: string, protocol: string | undefined])[] = [
    ['rtmp://host/live/a', 'rtmp'],
    ['rtmps://host/live/a', 'rtmp'],
    ['RTSP://user:pw@host/a.mp4', 'rtsp'],
    ['rtsps://host/a', 'rtsp'],
    ['srt://host:6000?streamid=a', 'srt'],
    ['gb28181://34020000001320000001/34020000001310000001', 'gb28181'],
    ['whep://host/a', 'webrtc'],
    ['https://host/live/a/whep?x=1', 'webrtc'],
    ['whips://host/a', 'webrtc'],
    ['https://host/whip/live/a', 'webrtc'],
    ['https://host/a/index.m3u8?x=1', 'hls'],
    ['http://host/a.FLV', 'flv'],
    ['wss://host/a.flv', 'flv'],
    ['http://host/a.mp4', 'mp4'],
    ['films/a.mp4', 'mp4'],
    ['http://host/a', undefined],
    ['nonsense', undefined],
    ['', undefined],
  ]
  for (const [url, protocol] of cases) {
    it(`are told by '${url}': ${protocol}`, () => expect(protocolOfUrl(url, plugins)).to.equal(protocol))
  }

  it('have the usual ports of their schemes', () => {
    const schemes = plugins.flatMap(({ protocol }) => Object.entries(protocol?.schemes ?? {}))
    expect(Object.fromEntries(schemes.map(([scheme, { tcpPort }]) => [scheme, tcpPort]))).to.eql({
      gb28181: undefined,
      rtmp: 1935,
      rtmps: 443,
      rtsp: 554,
      rtspt: 554,
      rtspu: 554,
      rtsph: 554,
      rtsps: 322,
      srt: undefined,
      whep: 80,
      wheps: 443,
      whip: 80,
      whips: 443,
    })
  })

  it('have the numbers of the API', () => {
    const numbered = plugins.flatMap(({ name, protocol }) =>
      protocol?.number === undefined ? [] : [[protocol.number, name] as const],
    )
    expect(Object.fromEntries(numbered)).to.eql({
      1: 'rtmp',
      2: 'rtsp',
      3: 'srt',
      4: 'webrtc',
      5: 'hls',
      6: 'flv',
      7: 'mp4',
      8: 'gb28181',
    })
    expect(numbered).to.have.length(8)
  })
})
