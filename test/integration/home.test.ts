import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { startServer } from '../support/server.ts'

const BROKEN = `
import { definePlugin } from 'sluice/sdk'
export default definePlugin({ name: 'broken', version: '1.0.0', setup() {}, endpoints() { throw new Error('no luck') } })`

describe('home page of a server', () => {
  it('is at /, with the addresses of all plugins that run, also where one of them fails', async () => {
    const server = await startServer({
      config: 'global: {plugins_dir: .}\nhls: {enable: false}\nconsole: {enable: false}\n',
      prepare: (folder) => writeFile(path.join(folder, 'broken.ts'), BROKEN),
    })
    expect(await (await fetch(server.http('/'))).text()).to.include('<title>Sluice</title>')
    const view = (await (await fetch(server.http('/home/addresses'))).json()) as Record<string, unknown>
    const rtmp = { plugin: 'rtmp', scheme: 'rtmp', address: 'rtmp://{hostName}:0/{streamPath}' }
    const rtsp = { plugin: 'rtsp', scheme: 'rtsp', address: 'rtsp://{hostName}:0/{streamPath}' }
    const srt = (mode: string) => {
      return { plugin: 'srt', scheme: 'srt', address: `srt://{hostName}:0?streamid=${mode}:/{streamPath}` }
    }
    expect(view).to.eql({
      administration: true,
      console: '',
      playNeedsKey: false,
      streamPath: '',
      publish: [rtmp, rtsp, srt('publish'), { plugin: 'webrtc', scheme: 'http', address: 'webrtc/push/{streamPath}' }],
      play: [
        { plugin: 'annexb', scheme: 'http', address: 'annexb/{streamPath}' },
        { plugin: 'annexb', scheme: 'ws', address: 'annexb/{streamPath}' },
        { plugin: 'flv', scheme: 'http', address: 'flv/{streamPath}.flv' },
        { plugin: 'flv', scheme: 'ws', address: 'flv/{streamPath}.flv' },
        { plugin: 'mp4', scheme: 'http', address: 'mp4/{streamPath}.mp4' },
        { plugin: 'mp4', scheme: 'ws', address: 'mp4/{streamPath}.mp4' },
        rtmp,
        rtsp,
        srt('subscribe'),
        { plugin: 'webrtc', scheme: 'http', address: 'webrtc/play/{streamPath}' },
      ],
    })
    expect(server.problems.map(({ msg }) => msg)).to.eql(["plugin 'broken' can't say its addresses"])
  })

  it('offers the list of streams where administration is answered, and to whom', async () => {
    const server = await startServer({ config: 'global: {admin: {listenaddr: "127.0.0.1:0"}}\n' })
    const port = server.server.http.adminAddresses[0]?.port
    const administration = async (origin: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${origin}/home/addresses`, { headers })
      return ((await answer.json()) as { administration: boolean }).administration
    }
    expect(await administration(server.http(''))).to.equal(false)
    expect(await administration(`http://127.0.0.1:${port}`)).to.equal(true)
    expect(await administration(`http://127.0.0.1:${port}`, { 'x-forwarded-for': '203.0.113.7' })).to.equal(false)
  })

  it('is not there when it is turned off', async () => {
    const server = await startServer({ env: { SLUICE_HOME_ENABLE: 'false' } })
    for (const place of ['/', '/home/', '/home/addresses']) {
      expect((await fetch(server.http(place))).status, place).to.equal(404)
    }
  })
})
