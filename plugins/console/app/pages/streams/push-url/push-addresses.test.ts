import { expect } from 'chai'
import { cleanPath, pushAddress, pushProtocols, type PushPlugin } from './push-addresses.ts'

const PLUGINS: readonly PushPlugin[] = [
  { name: 'console', pushAddr: [], description: { http: ':8080' } },
  { name: 'rtmp', pushAddr: ['rtmp://{hostName}/{streamPath}'], description: { http: ':8080' } },
  { name: 'rtsp', pushAddr: ['rtsp://{hostName}:8554/{streamPath}'], description: { http: ':8080' } },
  { name: 'srt', pushAddr: ['srt://{hostName}:6000?streamid=publish:/{streamPath}'], description: { http: ':8080' } },
  {
    name: 'webrtc',
    pushAddr: ['http://{hostName}:8080/webrtc/push/{streamPath}', 'https://{hostName}:8443/webrtc/push/{streamPath}'],
    description: { http: ':8080' },
  },
]
const ROOT = 'https://media.example.com/tv/'
const QUERY = { secret: 'ab12', expire: '6f000000' }

function addressBy(label: string, target: Partial<Parameters<typeof pushAddress>[1]> = {}) {
  const protocol = pushProtocols(PLUGINS).find((one) => one.label === label)
  if (protocol === undefined) throw new Error(`there is no ${label}`)
  return pushAddress(protocol, { host: 'host', streamPath: 'live/test', query: QUERY, ...target }, ROOT)
}

describe('addresses to publish to', () => {
  it('are one for each protocol', () => {
    expect(pushProtocols(PLUGINS).map(({ label, plugin }) => [label, plugin])).to.eql([
      ['RTMP', 'rtmp'],
      ['RTSP', 'rtsp'],
      ['SRT', 'srt'],
      ['WHIP', 'webrtc'],
    ])
  })

  it('have the query of the gates', () => {
    expect(addressBy('RTMP').url).to.equal('rtmp://host/live/test?secret=ab12&expire=6f000000')
    expect(addressBy('RTSP').url).to.equal('rtsp://host:8554/live/test?secret=ab12&expire=6f000000')
    expect(addressBy('RTMP', { query: {} }).url).to.equal('rtmp://host/live/test')
  })

  it('of SRT have it within the stream id', () => {
    expect(addressBy('SRT').url).to.equal('srt://host:6000?streamid=publish:/live/test?secret=ab12%26expire=6f000000')
  })

  it('of HTTP are below the server as the browser reaches it, whose path is encoded', () => {
    expect(addressBy('WHIP', { streamPath: 'live/a b#c' }).url).to.equal(
      'https://media.example.com/tv/webrtc/push/live/a%20b%23c?secret=ab12&expire=6f000000',
    )
    const apart = PLUGINS.map((plugin) =>
      plugin.name === 'webrtc' ? { ...plugin, description: { http: ':9' } } : plugin,
    )
    const [http, https] = pushProtocols(apart).filter(({ plugin }) => plugin === 'webrtc')
    const target = { host: 'host', streamPath: 'live/test', query: {} }
    expect(http && pushAddress(http, target, ROOT).url).to.equal('http://host:8080/webrtc/push/live/test')
    expect(https && pushAddress(https, target, ROOT).url).to.equal('https://host:8443/webrtc/push/live/test')
  })

  it('have addresses of IPv6 in brackets', () => {
    expect(addressBy('RTSP', { host: '2001:db8::7', query: {} }).url).to.equal('rtsp://[2001:db8::7]:8554/live/test')
    expect(addressBy('RTSP', { host: '[2001:db8::7]', query: {} }).url).to.equal('rtsp://[2001:db8::7]:8554/live/test')
  })

  it('are for OBS in two parts, and for ffmpeg one word of a command', () => {
    expect(addressBy('RTMP', { streamPath: 'live/cam/1' }).obs).to.eql({
      server: 'rtmp://host/live/cam',
      key: '1?secret=ab12&expire=6f000000',
    })
    expect(addressBy('SRT').obs).to.deep.include({ key: '' })
    expect(addressBy('RTSP').obs).to.equal(undefined)
    expect(addressBy('RTMP', { streamPath: "live/it's" }).ffmpeg).to.match(
      /-f flv 'rtmp:\/\/host\/live\/it'\\''s\?secret=ab12&expire=6f000000'$/u,
    )
  })

  it('are of a path without slashes around it', () => {
    expect(cleanPath(' /live/test/ ')).to.equal('live/test')
  })
})
