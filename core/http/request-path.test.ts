import { expect } from 'chai'
import { originForm, splitMount } from './request-path.ts'
import { RouteTable } from './route-table.ts'

const SPLITS = [
  { url: '/flv/live/a.flv?x', mount: 'flv', rest: '/live/a.flv?x' },
  { url: '/flv/', mount: 'flv', rest: '/' },
  { url: '/flv', mount: 'flv', rest: '/' },
  { url: '/flv?x=/', mount: 'flv', rest: '/?x=/' },
  { url: '/', mount: '', rest: '/' },
  { url: '//flv/a', mount: '', rest: '/flv/a' },
  { url: '*', mount: '', rest: '*' },
  { url: '*flv/a', mount: '', rest: '*flv/a' },
]

const TARGETS = [
  { target: '/a?b', url: '/a?b' },
  { target: 'http://host:80/a?b', url: '/a?b' },
  { target: 'HTTPS://host', url: '/' },
  { target: 'http://host?b', url: '/?b' },
  { target: '*', url: '*' },
]

const ROUTES = [
  { pattern: '/a', match: ['/a'], miss: ['/', '/a/', '/ab', '/a/b'] },
  { pattern: '/a.b', match: ['/a.b'], miss: ['/axb'] },
  { pattern: '/:id', match: ['/1'], miss: ['/', '/1/2'] },
  { pattern: '/a/:id/c', match: ['/a/b/c'], miss: ['/a/c', '/a/b/b/c'] },
  { pattern: '/a/:id?', match: ['/a', '/a/1'], miss: ['/b'] },
  { pattern: '/:file(^\\d+(?:x)?).png', match: ['/12.png'], miss: ['/12.jpg'] },
  { pattern: '/:x-:y', match: ['/1-2'], miss: ['/1'] },
  { pattern: '/a/*', match: ['/a/', '/a/b/c'], miss: ['/b'] },
  { pattern: '*', match: ['/', '/a'], miss: [] },
]

describe('request paths', () => {
  for (const { url, mount, rest } of SPLITS) {
    it(`splits ${url}`, () => expect(splitMount(url)).to.deep.equal({ mount, rest }))
  }

  for (const { target, url } of TARGETS) {
    it(`reads the target ${target}`, () => expect(originForm(target)).to.equal(url))
  }

  for (const { pattern, match, miss } of ROUTES) {
    it(`finds the methods of ${pattern}`, () => {
      const routes = new RouteTable()
      routes.add({ url: pattern, method: 'GET' })
      routes.add({ url: pattern, method: ['GET', 'PUT'] })
      for (const path of match) expect(routes.methodsOn(path), path).to.deep.equal(['GET', 'PUT'])
      for (const path of miss) expect(routes.methodsOn(path), path).to.deep.equal([])
    })
  }
})
