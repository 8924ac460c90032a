import { expect } from 'chai'
import { linesOf, type TaskNode } from './task-tree.ts'

let ids = 0
function node(owner: string, children: readonly TaskNode[] = [], description: Record<string, string> = {}): TaskNode {
  ids += 1
  return {
    id: ids,
    pointer: String(ids),
    type: 0,
    owner,
    startTime: '2026-01-01T00:00:00Z',
    description,
    state: 3,
    blocked: null,
    startReason: '',
    eventLoopRunning: true,
    level: 0,
    children,
  }
}

const TREE = node('server', [
  node('pulls', [node('live/pulled', [], { url: 'rtsp://CAMERA/1' })]),
  node('streams', [node('live/tasks', [node('live/tasks', [], { protocol: 'flv' })], { protocol: 'rtmp' })]),
  node('listeners', [node('rtmp', [], { address: ':1935' })]),
  node('streams', [node('live/made')], { plugin: 'streams', generation: '1' }),
])

describe('the lines of the task tree', () => {
  const all = () => linesOf(TREE, () => true, '')
  const shown = (search: string, isOpen = true) =>
    linesOf(TREE, () => isOpen, search).map(({ node: { owner }, level }) => `${'-'.repeat(level)}${owner}`)

  it('are all of it where it is open, and the root where it is not', () => {
    expect(all()).to.have.length(10)
    expect(shown('', false)).to.eql(['server'])
  })

  it('are those with a text, those above and those below them while one is searched', () => {
    expect(shown('camera', false)).to.eql(['server', '-pulls', '--live/pulled'])
    expect(shown('Pulls')).to.eql(['server', '-pulls', '--live/pulled'])
    expect(shown('flv')).to.eql(['server', '-streams', '--live/tasks', '---live/tasks'])
    expect(shown('nowhere')).to.eql([])
  })

  it('can be stopped where there is something to stop, and restarted where it is a task', () => {
    const able = all().map(({ node: { owner }, controls: { canStop, canRestart } }) => [owner, canStop, canRestart])
    expect(able.filter(([, canStop, canRestart]) => canStop === true || canRestart === true)).to.eql([
      ['live/pulled', true, true],
      ['live/tasks', true, false],
      ['live/tasks', true, false],
      ['live/made', true, true],
    ])
  })
})
