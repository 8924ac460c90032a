import { expect } from 'chai'
import { logLines } from '../host/testing/log-lines.ts'
import { taskNode } from './task-node.ts'
import { TaskTree, type TaskOwner } from './task-tree.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

describe('TaskTree', () => {
  let tree: TaskTree
  let logged: ReturnType<typeof logLines>
  let owner: TaskOwner

  beforeEach(() => {
    tree = new TaskTree()
    logged = logLines()
    owner = { plugin: 'alpha', generation: 2, log: logged.log }
  })

  it('shows tasks below their plugin', () => {
    const tasks = tree.registryFor(owner)
    const task = tasks.start({ owner: 'live/a', description: { url: 'x' }, run: untilAborted })
    const root = tree.snapshot()
    const [plugin] = root.children
    expect(root).to.include({ owner: 'server', level: 0, state: 3, eventLoopRunning: true, blocked: null })
    expect(plugin).to.include({ owner: 'alpha', level: 1, type: 1 })
    expect(plugin?.description).to.deep.equal({ plugin: 'alpha', generation: '2' })
    expect(plugin?.children[0]).to.include({
      id: task.id,
      pointer: task.id,
      owner: 'live/a',
      level: 2,
      type: 0,
      state: 3,
    })
    expect(plugin?.children[0]?.description).to.deep.equal({ url: 'x' })
    expect(new Date(plugin?.children[0]?.startTime ?? '').getTime()).to.be.closeTo(Date.now(), 10_000)
    task.stop()
  })

  it('takes a task out when it has returned', async () => {
    const task = tree.registryFor(owner).start({ owner: 'a', run: async () => {} })
    await task.done
    expect(tree.snapshot().children[0]?.children).to.deep.equal([])
  })

  for (const [how, run] of [
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
  ] as const) {
    it(`logs a task that ${how}`, async () => {
      await tree.registryFor(owner).start({ owner: 'a', run }).done
      expect(logged.text()).to.include('broken')
    })
  }

  it('stops a task by its id, and shows it stopping until it has ended', async () => {
    const finish = Promise.withResolvers<void>()
    const reasons: unknown[] = []
    const task = tree.registryFor(owner).start({
      owner: 'a',
      async run(signal) {
        await untilAborted(signal)
        reasons.push(signal.reason)
        await finish.promise
        signal.throwIfAborted()
      },
    })
    tree.find(task.id)?.stop('enough')
    expect(tree.snapshot().children[0]?.children[0]).to.include({ state: 5 })
    finish.resolve()
    await task.done
    expect(reasons[0]).to.have.property('message', 'enough')
    expect(tree.find(task.id)).to.equal(undefined)
    expect(logged.lines).to.deep.equal([])
  })

  it('restarts a task under its id', async () => {
    let runs = 0
    const second = Promise.withResolvers<void>()
    const task = tree.registryFor(owner).start({
      owner: 'a',
      run(signal) {
        runs += 1
        if (runs === 2) second.resolve()
        return untilAborted(signal)
      },
    })
    tree.find(task.id)?.restart()
    expect(() => tree.find(task.id)?.restart(), 'while it is stopping').to.throw('is being stopped')
    await second.promise
    expect(tree.snapshot().children[0]?.children[0]).to.include({ id: task.id, startReason: 'restart' })
    task.stop()
    await task.done
    expect(runs).to.equal(2)
    expect(tree.find(task.id)).to.equal(undefined)
  })

  it('shows no secrets, and no more than bounded texts', () => {
    const long = 'x'.repeat(10_000)
    const task = tree.registryFor(owner).start({
      owner: 'rtmp://me:hush@host/a',
      description: { said: 'from srt://host:1/?key=hush to http://u:hush@b/c: refused', long },
      run: untilAborted,
    })
    const [shown] = tree.snapshot().children[0]?.children ?? []
    expect(JSON.stringify(shown)).not.to.include('hush')
    expect(shown?.description['said']).to.match(/^from srt:\/\/host:1\/\?key=\*+ to http:\/\/\*+@b\/c: refused$/u)
    expect(shown?.description['long']).to.have.length(500)
    task.stop()
  })

  it('is whole where the description of one task fails, which is logged once', () => {
    const tasks = tree.registryFor(owner)
    const fail = () => {
      throw new Error('broken')
    }
    const [broken, good] = [fail, { a: 'b' }].map((description) =>
      tasks.start({ owner: 'a', description, run: untilAborted }),
    )
    const descriptions = () => tree.snapshot().children[0]?.children.map(({ description }) => description)
    expect(descriptions()).to.eql([{}, { a: 'b' }])
    expect(descriptions()).to.eql([{}, { a: 'b' }])
    expect(logged.lines.map(({ msg }) => msg)).to.eql(['the description of a task failed'])
    broken?.stop()
    good?.stop()
  })

  it('says of each run of a task that it has ended, and why', async () => {
    const ended: string[] = []
    tree.onEnd((end) => {
      const { owner, parentId, reason } = end()
      expect(parentId).to.equal(tree.snapshot().children[0]?.id)
      ended.push(`${owner}: ${reason}`)
    })
    const tasks = tree.registryFor(owner)
    await tasks.start({ owner: 'over', run: async () => {} }).done
    await tasks.start({ owner: 'failed', run: () => Promise.reject(new Error('no luck')) }).done
    const task = tasks.start({ owner: 'stopped', run: untilAborted })
    tree.find(task.id)?.restart()
    await Promise.resolve()
    await new Promise(setImmediate)
    tree.find(task.id)?.stop('stop by user')
    await task.done
    expect(ended).to.eql(['over: done', 'failed: no luck', 'stopped: restart', 'stopped: stop by user'])
  })

  it('refuses to stop or restart what is no task, and says what to do instead', () => {
    tree.registryFor(owner)
    tree.registryFor({ plugin: 'pulls', log: logged.log })
    const root = tree.snapshot()
    const [plugin, part] = root.children
    const cases = [
      { node: root, says: '/api/shutdown' },
      { node: plugin, says: 'enable: false' },
      { node: part, says: 'one by one' },
    ]
    for (const { node, says } of cases) {
      const control = tree.find(node?.id ?? 0)
      expect(() => control?.stop('enough'), node?.owner)
        .to.throw(says)
        .with.property('statusCode', 501)
      expect(() => control?.restart(), node?.owner).to.throw(says)
    }
    expect(part?.description).to.eql({})
    expect(tree.find(4711)).to.equal(undefined)
  })

  it('has branches of others, whose nodes are found by their ids', () => {
    const stopped: string[] = []
    const leaf = taskNode({ id: 77, owner: 'x', startTime: new Date(), level: 1, description: {} })
    tree.addBranch({
      snapshot: () => leaf,
      find: (id) => (id === 77 ? { stop: (reason) => stopped.push(reason), restart() {} } : undefined),
    })
    expect(tree.snapshot().children).to.eql([leaf])
    tree.find(77)?.stop('enough')
    expect(stopped).to.eql(['enough'])
  })

  it('stops all tasks of an owner, and takes it out of the tree', async () => {
    const tasks = tree.registryFor(owner)
    const kept = tree.registryFor({ ...owner, generation: 3 })
    const task = tasks.start({ owner: 'a', run: untilAborted })
    kept.start({ owner: 'b', run: untilAborted })
    await tree.stopOwner(owner, 'unloaded')
    await task.done
    expect(tree.snapshot().children.map(({ description }) => description['generation'])).to.deep.equal(['3'])
    expect(() => tasks.start({ owner: 'a', run: untilAborted })).to.throw('unloaded')
  })
})
