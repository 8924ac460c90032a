/** The first module of a plugin's thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { runModule } from './module-host.ts'

const { url, data } = workerData as { readonly url: string; readonly data: unknown }
await runModule(url, {
  data,
  send: (message, transfer = []) => parentPort?.postMessage(message, [...transfer]),
  onMessage: (listener) => void parentPort?.on('message', listener),
})
