import type { CloseReason } from 'sluice/sdk'
import {
  TASK_TYPE,
  taskNode,
  uncontrolled,
  type TaskBranch,
  type TaskControl,
  type TaskNode,
} from '../observe/task-node.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamRegistry } from './registry.ts'
import { subscriberInfo } from './subscriber-info.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { Stream } from './stream.ts'
import { publisherDescription, subscriberDescription } from './session-description.ts'

/** The most publishers that are nodes, the oldest; all are counted. */
const MAX_PUBLISHERS_SHOWN = 1000
/** The most subscribers of a stream that are nodes, the oldest, and of those that wait; all are counted. */
export const MAX_SUBSCRIBERS_SHOWN = 20
/** The most subscribers that are nodes in all. */
const MAX_SUBSCRIBERS_IN_ALL = 4000

const BRANCH_LEVEL = 1
const PUBLISHER_LEVEL = 2

type ListedStreams = Pick<StreamRegistry, 'nodeId' | 'list' | 'waitedFor' | 'subscriber'>

/**
 * The streams in the task tree: publishers with their subscribers, then the subscribers that wait for a publisher. Nodes
 * have the ids of their sessions.
 */
export class StreamBranch implements TaskBranch {
  readonly #streams: ListedStreams
  readonly #startTime = new Date()

  constructor(streams: ListedStreams) {
    this.#streams = streams
  }

  snapshot(): TaskNode {
    const streams = this.#streams
    const published = streams.list()
    const waitedFor = streams.waitedFor()
    const allowance = { left: MAX_SUBSCRIBERS_IN_ALL }
    const publishers = published.slice(0, MAX_PUBLISHERS_SHOWN).flatMap((stream) => publisherNode(stream, allowance))
    const waiting = waitedFor.values().flatMap(({ subscribers }) => subscribers)
    return taskNode({
      id: streams.nodeId,
      type: TASK_TYPE.work,
      owner: 'streams',
      startTime: this.#startTime,
      level: BRANCH_LEVEL,
      description: {
        publishers: String(published.length),
        waiting: String(waitedFor.reduce((count, { subscribers }) => count + subscribers.size, 0)),
      },
      children: [...publishers, ...subscriberNodes(waiting, PUBLISHER_LEVEL, allowance)],
    })
  }

  find(id: number): TaskControl | undefined {
    const streams = this.#streams
    if (id === streams.nodeId) return uncontrolled('publishers and subscribers are stopped one by one')
    const publisher = streams.list().find((stream) => stream.publisher?.id === id)?.publisher
    return sessionControl(publisher ?? streams.subscriber(id))
  }
}

/** The number of subscribers that may still become nodes. */
type Allowance = { left: number }

function publisherNode({ publisher, subscribers }: Stream, allowance: Allowance): TaskNode[] {
  if (publisher === undefined) return []
  const { id, startTime, streamPath } = publisher
  const node = taskNode({
    id,
    type: TASK_TYPE.job,
    owner: streamPath,
    startTime,
    level: PUBLISHER_LEVEL,
    description: {
      ...publisherDescription(publisher),
      subscribers: String(subscribers.size),
    },
    children: subscriberNodes(subscribers.values(), PUBLISHER_LEVEL + 1, allowance),
  })
  return [node]
}

function subscriberNodes(
  subscribers: IteratorObject<StreamSubscriber>,
  level: number,
  allowance: Allowance,
): TaskNode[] {
  const shown = subscribers.take(Math.min(MAX_SUBSCRIBERS_SHOWN, allowance.left)).toArray()
  allowance.left -= shown.length
  return shown.map((subscriber) => {
    const { id, startTime, streamPath } = subscriber
    return taskNode({
      id,
      owner: streamPath,
      startTime,
      level,
      description: subscriberDescription(subscriberInfo(subscriber)),
    })
  })
}

function sessionControl(session: StreamPublisher | StreamSubscriber | undefined): TaskControl | undefined {
  if (session === undefined) return undefined
  const close = (text: string) => {
    const reason: CloseReason = { code: 'stopped', text }
    session.close(reason)
  }
  return {
    ...uncontrolled('a session is begun by its client, which comes back by itself if it is set to'),
    stop: close,
  }
}
