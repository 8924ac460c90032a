import type { CloseReason, EndedTask, SubscriberInfo } from 'sluice/sdk'
import { shownText } from 'sluice/sdk/host'
import { TASK_TYPE } from '../observe/task-node.ts'
import { publisherDescription, subscriberDescription } from './session-description.ts'
import type { StreamPublisher } from './stream-publisher.ts'

/** The notice of a publisher that ends now. */
export function endedPublisher(publisher: StreamPublisher, parentId: number, { text }: CloseReason): EndedTask {
  const { id, streamPath, startTime } = publisher
  return {
    kind: 'publisher',
    id,
    type: TASK_TYPE.job,
    owner: streamPath,
    startTime,
    endTime: new Date(),
    parentId,
    reason: shownText(text),
    description: () => publisherDescription(publisher),
  }
}

/** The notice of a subscriber that ends now. */
export function endedSubscriber(subscriber: SubscriberInfo, parentId: number, { text }: CloseReason): EndedTask {
  const { id, streamPath, startTime } = subscriber
  return {
    kind: 'subscriber',
    id,
    type: TASK_TYPE.task,
    owner: streamPath,
    startTime,
    endTime: new Date(),
    parentId,
    reason: shownText(text),
    description: () => subscriberDescription(subscriber),
  }
}
