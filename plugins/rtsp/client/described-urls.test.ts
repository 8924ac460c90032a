import { expect } from 'chai'
import { parseSdp } from 'sluice/sdk/media'
import { RtspHeaders } from '../wire/message/headers.ts'
import { DescribedUrls } from './described-urls.ts'

const HOST = 'rtsp://192.0.2.1:554'
const REQUESTED = `${HOST}/stream1`

type Case = {
  readonly name: string
  readonly base?: string
  readonly location?: string
  readonly session?: string
  readonly control?: string
  readonly whole: string
  readonly media: string
}

const cases: readonly Case[] = [
  { name: 'the request', whole: REQUESTED, media: `${REQUESTED}/track1` },
  { name: 'Content-Base', base: `${HOST}/other/`, whole: `${HOST}/other/`, media: `${HOST}/other/track1` },
  { name: 'Content-Location', location: `${HOST}/other`, whole: `${HOST}/other`, media: `${HOST}/other/track1` },
  {
    name: 'Content-Location where Content-Base is no address',
    base: 'none',
    location: `${HOST}/other`,
    whole: `${HOST}/other`,
    media: `${HOST}/other/track1`,
  },
  ...[
    '',
    'none',
    '/stream1/',
    '192.0.2.1:554/',
    'rtsp://rtsp://192.0.2.1:554/stream1/',
    'http://192.0.2.1/',
    'rtsp://',
  ].map((base) => ({
    name: `the request where Content-Base is '${base}'`,
    base,
    whole: REQUESTED,
    media: `${REQUESTED}/track1`,
  })),
  {
    name: "the session's own address",
    session: `${HOST}/elsewhere/`,
    whole: `${HOST}/elsewhere/`,
    media: `${HOST}/elsewhere/track1`,
  },
  {
    name: "the session's own address before Content-Base",
    base: `${HOST}/other/`,
    session: `${HOST}/elsewhere`,
    whole: `${HOST}/elsewhere`,
    media: `${HOST}/elsewhere/track1`,
  },
  {
    name: 'the request where that of the session is none',
    session: 'rtsp://rtsp://192.0.2.1/',
    whole: REQUESTED,
    media: `${REQUESTED}/track1`,
  },
  { name: 'a star', base: `${HOST}/other/`, session: '*', whole: `${HOST}/other/`, media: `${HOST}/other/track1` },
  {
    name: 'a relative one, for the whole alone',
    session: 'all',
    whole: `${REQUESTED}/all`,
    media: `${REQUESTED}/track1`,
  },
  {
    name: 'the address of a media, whatever the base',
    session: `${HOST}/elsewhere`,
    control: `${HOST}/x/1`,
    whole: `${HOST}/elsewhere`,
    media: `${HOST}/x/1`,
  },
  { name: 'the root', base: `${HOST}/`, control: '/stream1/track1', whole: `${HOST}/`, media: `${REQUESTED}/track1` },
]

describe('DescribedUrls', () => {
  for (const { name, base, location, session, control = 'track1', whole, media } of cases) {
    it(`count from ${name}`, () => {
      const headers = new RtspHeaders()
      if (base !== undefined) headers.append('Content-base', base)
      if (location !== undefined) headers.append('Content-Location', location)
      const attribute = session === undefined ? '' : `a=control:${session}\n`
      const description = parseSdp(`v=0\n${attribute}m=video 0 RTP/AVP 96\na=control:${control}\n`)
      const urls = new DescribedUrls(headers, description, REQUESTED)
      expect([urls.whole, urls.ofMedia(description.media[0]!)]).to.eql([whole, media])
    })
  }
})
