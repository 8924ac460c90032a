import { expect } from 'chai'
import { playPathFor } from './play-path.ts'

const TEMPLATES = [
  'rtmp://{hostName}/{streamPath}',
  'http://{hostName}:8080/flv/{streamPath}.flv',
  'ws://{hostName}:8080/flv/{streamPath}.flv',
  'https://{hostName}/hls/{streamPath}/index.m3u8',
  'http://{hostName}/mp4/{streamPath}.mp4',
]

describe('the path that plays what other servers play elsewhere', () => {
  const cases = [
    { path: '/live/test.flv', is: '/flv/live/test.flv' },
    { path: '/test.flv', is: '/flv/test.flv' },
    { path: '/live/a%20b.flv', is: '/flv/live/a%20b.flv' },
    { path: '/live/test.m3u8', is: '/hls/live/test/index.m3u8' },
    { path: '/live/test/index.m3u8', is: '/hls/live/test/index.m3u8' },
    { path: '/live/test.mp4', is: '/mp4/live/test.mp4' },
    { path: '/live/test.ts', is: undefined },
    { path: '/live/test', is: undefined },
    { path: '/.flv', is: undefined },
    { path: '/', is: undefined },
  ]
  for (const { path, is } of cases) it(`for ${path}`, () => expect(playPathFor(path, TEMPLATES)).to.equal(is))
})
