import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { InFlight } from '../../../src/http/in-flight';

describe('requests in work', () => {
  const inFlight = new InFlight(3, 2);
  /** @returns what ends the request; null: it was refused */
  const begin = (ip: string): (() => void) | null => {
    const response = new EventEmitter();
    try {
      inFlight.admit({ ip } as Request, response as unknown as Response, () => {});
    } catch {
      return null;
    }
    return () => void response.emit('close');
  };

  it('leave places to other addresses, however many one address has; a network of IPv6 counts as one', () => {
    const first = begin('2001:db8::1');
    expect(begin('2001:db8::2')).not.toBeNull();
    expect(begin('2001:db8::3')).toBeNull();
    const other = begin('192.0.2.1');
    expect([other === null, inFlight.count]).toEqual([false, 3]);
    expect(begin('192.0.2.2')).toBeNull();
    first?.();
    expect([inFlight.count, begin('192.0.2.2') === null, inFlight.count]).toEqual([2, false, 3]);
  });
});
