import type { Counter, Gauge, Histogram } from '../../plugin/metrics.ts'

/** A number that only grows. */
export class CounterValue implements Counter {
  value = 0

  add(amount = 1): void {
    if (!(amount >= 0 && amount < Infinity)) throw new RangeError('what a counter adds is a finite number from 0 on')
    this.value += amount
  }
}

/** A number that goes up and down. */
export class GaugeValue implements Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }

  add(amount: number): void {
    this.value += amount
  }
}

/** The number of values up to each bound. */
export class HistogramValue implements Histogram {
  readonly bounds: readonly number[]
  /** The number of values in each bucket, those of the buckets below not included; the last has no bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    if (Number.isNaN(value)) return
    let index = 0
    while (index < this.bounds.length && value > (this.bounds[index] ?? Infinity)) index++
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
  }
}
