import { EventSource } from 'undici'
import { keep } from '../peers/lifetime.ts'

/** Listens to server-sent events as a browser does, until so many have come; their values. It leaves with its test. */
export async function listenEvents<Value>(url: string, count: number): Promise<Value[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Value[]>()
  const source = new EventSource(url)
  const letGo = keep(source)
  const values: Value[] = []
  source.addEventListener('message', ({ data }) => {
    values.push(JSON.parse(String(data)) as Value)
    if (values.length === count) resolve(values)
  })
  source.addEventListener('error', () => reject(new Error(`${url} ended after ${values.length} events`)))
  try {
    return await promise
  } finally {
    letGo()
    source.close()
  }
}
