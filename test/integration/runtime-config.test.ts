import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { startServer } from '../support/server.ts'

describe('smoke', () => {
  it('works', async () => {
    const server = await startServer({ config: 'rtmp:\n  publish:\n    key: hush-file\n' })
    const show = async (path: string, init?: RequestInit) => {
      const r = await fetch(server.http(path), init)
      console.log(init?.method ?? 'GET', path, r.status, r.headers.get('content-type'), (await r.text()).slice(0, 1500))
    }
    const put = (path: string, body: unknown, method = 'PUT') => show(path, { method, body: JSON.stringify(body), headers: {'content-type': 'application/json'} })
    await show('/config/')
    await show('/config/rtmp')
    await put('/config/rtmp', { Publish: { KickExist: true, publishtimeout: 12 }, chunk_size: 2048 })
    await put('/config/rtmp', { config: { publish: { key: 'hush-new' } }, revision: 1 })
    await put('/config/rtmp', { config: { publish: { key: 'hush-new2' } }, revision: 1 })
    await put('/config/rtmp', { publish: { kye: 'x' } })
    await put('/config/global', { db: { dsn: 'x' } })
    await put('/config/global', { plugins_dir: ['/tmp/x'] })
    await put('/config/validate', { plugin: 'rtmp', config: {tcp: {listenaddr: 'bad'}} }, 'POST')
    await show('/config/debug/rtmp')
    await show('/api/config/get/rtmp')
    await show('/api/config/json/rtmp?format=yaml')
    await show('/api/config/formily/rtmp')
    await show('/api/config/yaml/all?name=rtmp&common=false')
    await show('/api/config/file')
    await put('/api/config/file/update', 'rtmp: {publish: {key: hush-2}}\n', 'POST')
    await put('/api/config/file/update', 'rtmp: {publish: {kee: hush-2}}\n', 'POST')
    await put('/api/config/modify', {name: 'flv', yaml: 'publish:\n  keey: 3\n'}, 'POST')
    await put('/config/reset/rtmp', undefined, 'POST')
    await put('/api/config/rtmp/reload', undefined, 'POST')
    await put('/api/config/rtmp', {config: {chunksize: 4096}, persistent: false})
    await show('/config/schema/rtmp')
    console.log(await readdir(server.folder), await readFile(server.configFile, 'utf8'))
    console.log(server.problems)
    expect(1).to.equal(1)
  })
})
