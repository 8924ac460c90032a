import type { Counter, MetricFamily, MetricRegistry } from 'sluice/sdk'

/** The end of an upload: the file is stored, it failed for good, or it was not taken as too many wait. */
type Outcome = 'done' | 'failed' | 'refused'

type Waiting = { readonly files: number; readonly bytes: number }

/** Counts files that are uploaded, and those that wait for it. */
export class UploadMeters {
  readonly bytes: Counter
  readonly retries: Counter
  readonly #files: MetricFamily<Counter, 'outcome'>
  /** The queues that files wait in. */
  readonly #queues = new Set<() => Waiting>()

  constructor(metrics: MetricRegistry) {
    this.#files = metrics.counter({
      name: 'sluice_upload_files_total',
      help: 'Files that were uploaded, failed for good, or were not taken as too many wait: done, failed, refused',
      labels: ['outcome'],
    })
    this.bytes = metrics
      .counter({ name: 'sluice_upload_bytes_total', help: 'Bytes of files that were uploaded' })
      .with()
    this.retries = metrics
      .counter({ name: 'sluice_upload_retries_total', help: 'Uploads that failed and are tried again' })
      .with()
    metrics.gauge({
      name: 'sluice_upload_waiting_files',
      help: 'Files that are to be uploaded, those under way included',
      read: () => [{ value: this.#sum(({ files }) => files) }],
    })
    metrics.gauge({
      name: 'sluice_upload_waiting_bytes',
      help: 'Bytes of the files that are to be uploaded, those under way included',
      read: () => [{ value: this.#sum(({ bytes }) => bytes) }],
    })
  }

  ended(outcome: Outcome): void {
    this.#files.with({ outcome }).add()
  }

  /** Counts the files of a queue in the gauges. @returns a function that ends that */
  watch(waiting: () => Waiting): () => void {
    this.#queues.add(waiting)
    return () => this.#queues.delete(waiting)
  }

  #sum(part: (waiting: Waiting) => number): number {
    return [...this.#queues].reduce((sum, waiting) => sum + part(waiting()), 0)
  }
}
