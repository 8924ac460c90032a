import { expect } from 'chai'
import type { Subscriber } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import type { TaskNode } from '../observe/task-node.ts'
import { closeRigs, endOf, RegistryRig } from './fixtures/registry-rig.ts'
import { MAX_SUBSCRIBERS_SHOWN, StreamBranch } from './stream-branch.ts'

const VIEWER = { client: { ip: '192.0.2.7', port: 4711, userAgent: 'a viewer' } }

describe('streams in the task tree', () => {
  afterEach(closeRigs)

  function branchOf({ registry }: RegistryRig): StreamBranch {
    return new StreamBranch(registry)
  }

  function nodesOf(branch: StreamBranch): readonly TaskNode[] {
    return branch.snapshot().children
  }

  async function watch(rig: RegistryRig, count: number): Promise<Subscriber[]> {
    return Promise.all(Array.from({ length: count }, () => rig.subscribe('live/a', VIEWER)))
  }

  it('are publishers with their subscribers', async () => {
    const rig = new RegistryRig()
    const branch = branchOf(rig)
    const { publisher } = await rig.source('live/a')
    const [viewer] = await watch(rig, 1)
    expect(branch.snapshot()).to.deep.include({ owner: 'streams', type: 2, level: 1 })
    const [node] = nodesOf(branch)
    expect(node).to.include({ id: publisher.id, pointer: publisher.id, owner: 'live/a', type: 1, level: 2, state: 3 })
    expect(node?.description).to.include({ kind: 'publisher', plugin: 'fake', type: 'server', subscribers: '1' })
    expect(node?.children).to.have.length(1)
    expect(node?.children[0]).to.include({ id: viewer?.id, owner: 'live/a', type: 0, level: 3 })
    expect(node?.children[0]?.description).to.eql({
      kind: 'subscriber',
      plugin: 'fake',
      type: 'server',
      remoteAddr: '192.0.2.7:4711',
      sourcePath: 'live/a',
    })
  })

  it('have bounded numbers of nodes, and count all', async () => {
    const rig = new RegistryRig()
    const branch = branchOf(rig)
    await rig.source('live/a')
    const viewers = await watch(rig, MAX_SUBSCRIBERS_SHOWN + 30)
    const [node] = nodesOf(branch)
    expect(node?.description['subscribers']).to.equal(String(MAX_SUBSCRIBERS_SHOWN + 30))
    expect(node?.children.map(({ id }) => id)).to.eql(viewers.slice(0, MAX_SUBSCRIBERS_SHOWN).map(({ id }) => id))
    // Also those that are not shown can be stopped.
    const last = viewers.at(-1)
    branch.find(last?.id ?? 0)?.stop('stop by user')
    expect(rig.registry.subscriber(last?.id ?? 0)).to.equal(undefined)
  })

  it('have the subscribers that wait, beside the publishers', async () => {
    const rig = new RegistryRig({ subscribe: { waittimeout: '1h' } })
    const branch = branchOf(rig)
    const waiting = rig.subscribe('live/nobody', VIEWER).catch((error: unknown) => error)
    await waitFor(() => rig.registry.waitedFor().length === 1)
    const { description, children } = branch.snapshot()
    expect(description).to.eql({ publishers: '0', waiting: '1' })
    expect(children).to.have.length(1)
    expect(children[0]).to.include({ owner: 'live/nobody', level: 2 })
    branch.find(children[0]?.id ?? 0)?.stop('stop by user')
    expect(await waiting).to.be.an('error')
    expect(nodesOf(branch)).to.eql([])
  })

  it('are stopped as by an operator, and not restarted', async () => {
    const rig = new RegistryRig()
    const branch = branchOf(rig)
    const { publisher } = await rig.source('live/a')
    const end = endOf(publisher)
    const control = branch.find(publisher.id)
    expect(() => control?.restart())
      .to.throw('begun by its client')
      .with.property('statusCode', 501)
    control?.stop('stop by user')
    expect(end).to.eql({ code: 'stopped', reason: 'stop by user' })
    expect(branch.find(publisher.id)).to.equal(undefined)
    const own = branch.find(rig.registry.nodeId)
    expect(() => own?.stop('enough')).to.throw('one by one')
  })
})
