import type { InjectOptions } from 'fastify'
import type { OperationRegistry } from 'sluice/sdk'
import { OperationRoutes } from 'sluice/sdk/host'
import { LogRecords } from 'sluice/sdk/testing'
import { AnswerWatches } from '../answer-watch.ts'
import { READING_CORS } from '../cors.ts'
import { HTTP_LIMITS } from '../front/limits.ts'
import { Guard } from '../guard.ts'
import { HttpApp } from '../http-app.ts'
import { HTTP_CONFIG } from './http-fixture.ts'

/** Creates an app like that of the server's administration. */
export function createApp(log = new LogRecords('core')): HttpApp {
  const guard = new Guard({ isClosed: () => false })
  const answers = new AnswerWatches(log.logger).of('administration', log.logger)
  const options = { log: log.logger, answers, limits: HTTP_LIMITS, config: HTTP_CONFIG, corsPolicy: READING_CORS }
  return new HttpApp({ ...options, guard, hidesUnknown: true })
}

/** Adds operations to an app, and asks them as a client of the server would. */
export async function askOperations(
  log: LogRecords,
  add: (operations: OperationRegistry) => void,
  requests: readonly InjectOptions[],
) {
  const app = createApp(log)
  add(new OperationRoutes({ targetOf: () => app }))
  const answers = []
  for (const request of requests) answers.push(await app.fastify.inject(request))
  await app.close()
  return answers
}
