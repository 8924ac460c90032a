import { expect } from 'chai'

type Shown = { readonly plugin: string; readonly scheme: string; readonly address: string }
type Group = {
  readonly use: string
  readonly hint: string
  readonly addresses: readonly Shown[]
  readonly testPage: string | undefined
}
/** What the page's script exports; it is JavaScript, for browsers. */
type Uses = {
  readonly playGroups: (addresses: readonly Shown[]) => readonly Group[]
  readonly publishGroups: (addresses: readonly Shown[]) => readonly Group[]
}

const script = new URL('./uses.js', import.meta.url).href
const { playGroups, publishGroups } = (await import(script)) as Uses

/** An address by its words, such as `flv http flv/{streamPath}.flv`. */
function shown(text: string): Shown {
  const [plugin = '', scheme = '', address = ''] = text.split(' ')
  return { plugin, scheme, address }
}

const textsOf = (groups: readonly Group[]) =>
  groups.map(({ use, addresses }) => [
    use,
    ...addresses.map(({ plugin, scheme, address }) => `${plugin} ${scheme} ${address}`),
  ])

/** In no order that the page would have. */
const PLAY = [
  'annexb ws annexb/{streamPath}',
  'mp4 ws mp4/{streamPath}.mp4',
  'theirs theirs theirs://{hostName}:99/{streamPath}',
  'flv http flv/{streamPath}.flv',
  'jsmpeg ws jsmpeg/{streamPath}',
  'rtmp rtmps rtmps://{hostName}:1936/{streamPath}',
  'hls http hls/{streamPath}/index.m3u8',
  'theirs http theirs/{streamPath}.bin',
  'srt srt srt://{hostName}:6000?streamid=subscribe:/{streamPath}',
  'rtmp rtmp rtmp://{hostName}:1935/{streamPath}',
  'webrtc http webrtc/play/{streamPath}',
  'mp4 https https://{hostName}:8443/mp4/{streamPath}.mp4',
]

describe('uses of addresses on the home page', () => {
  it('sorts what is there to play by, and has what it does not know at the end', () => {
    expect(textsOf(playGroups(PLAY.map(shown)))).to.eql([
      ['In a browser, with the least delay', 'webrtc http webrtc/play/{streamPath}'],
      ['In a browser, for as many viewers as you like', 'hls http hls/{streamPath}/index.m3u8'],
      [
        'In VLC or ffplay, and in OBS as a media source',
        'flv http flv/{streamPath}.flv',
        'rtmp rtmps rtmps://{hostName}:1936/{streamPath}',
        'srt srt srt://{hostName}:6000?streamid=subscribe:/{streamPath}',
        'rtmp rtmp rtmp://{hostName}:1935/{streamPath}',
        'mp4 https https://{hostName}:8443/mp4/{streamPath}.mp4',
      ],
      ['In a page of your own, by a script', 'mp4 ws mp4/{streamPath}.mp4', 'jsmpeg ws jsmpeg/{streamPath}'],
      ['In programs that take the pictures alone', 'annexb ws annexb/{streamPath}'],
      ['By other plugins', 'theirs theirs theirs://{hostName}:99/{streamPath}', 'theirs http theirs/{streamPath}.bin'],
    ])
  })

  it('takes addresses that programs know for what they are, whose they may be', () => {
    const addresses = ['theirs rtsp rtsp://{hostName}:99/{streamPath}', 'theirs http theirs/{streamPath}/live.m3u8']
    expect(playGroups(addresses.map(shown)).map(({ use }) => use)).to.eql([
      'In a browser, for as many viewers as you like',
      'In VLC or ffplay, and in OBS as a media source',
    ])
  })

  it('sorts what is there to publish by', () => {
    const addresses = [
      'theirs udp udp://{hostName}:99',
      'webrtc http webrtc/push/{streamPath}',
      'rtsp rtsp rtsp://{hostName}/{streamPath}',
      'rtmp rtmp rtmp://{hostName}/{streamPath}',
    ]
    expect(textsOf(publishGroups(addresses.map(shown)))).to.eql([
      ['From OBS Studio or ffmpeg', 'rtmp rtmp rtmp://{hostName}/{streamPath}'],
      ['From a browser, or OBS Studio with the service WHIP', 'webrtc http webrtc/push/{streamPath}'],
      ['From cameras, encoders and ffmpeg', 'rtsp rtsp rtsp://{hostName}/{streamPath}'],
      ['By other plugins', 'theirs udp udp://{hostName}:99'],
    ])
  })

  it('has the test page of WebRTC beside its addresses, where the server is that of the page', () => {
    const testPages = (text: string) => playGroups([shown(text)]).map(({ testPage }) => testPage)
    expect(testPages('webrtc http webrtc/play/{streamPath}')).to.eql(['webrtc/test#subscribe'])
    const [group] = publishGroups([shown('webrtc http webrtc/push/{streamPath}')])
    expect(group?.testPage).to.equal('webrtc/test#publish')
    expect(testPages('webrtc http http://{hostName}:81/webrtc/play/{streamPath}')).to.eql([undefined])
    expect(testPages('flv http flv/{streamPath}.flv')).to.eql([undefined])
  })

  it('has no group of nothing', () => expect([playGroups([]), publishGroups([])]).to.eql([[], []]))
})
