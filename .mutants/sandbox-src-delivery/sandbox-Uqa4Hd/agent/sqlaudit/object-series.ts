import type { JsonScalar } from '../../src/event/audit-record';
import type { DecodedEvent } from './event';

interface Property {
  readonly name: string;
  readonly read: (event: DecodedEvent) => JsonScalar;
}
export type Values = { readonly [name: string]: JsonScalar };

/**
 * Makes an object of each event of a type. Events of a file are similar: to copy an earlier object and set the properties
 * that differ costs a fraction of building each object property by property.
 */
export class ObjectSeries {
  private readonly values: JsonScalar[];
  /** The object that is copied. It is never itself a copy, since V8 is fast only with copies of one shape. */
  private model: Values | null = null;
  private modelValues: readonly JsonScalar[] = [];

  /**
   * @param nulls whether an object keeps properties that are null
   * @param frame properties of every object that no event holds, and the order of all properties
   */
  constructor(
    private readonly properties: readonly Property[],
    private readonly nulls: 'kept' | 'left out',
    private readonly frame: Values = {},
  ) {
    this.values = properties.map(() => null);
  }

  next(event: DecodedEvent): Values {
    const { properties, values } = this;
    let isSameShape = true;
    for (let i = 0; i < properties.length; i++) {
      const value = properties[i]?.read(event) ?? null;
      if ((value === null) !== (this.modelValues[i] === null)) isSameShape = false;
      values[i] = value;
    }
    if (this.model === null || (!isSameShape && this.nulls === 'left out')) {
      this.modelValues = [...values];
      this.model = this.build();
    }
    return this.copyOfModel();
  }

  private copyOfModel(): Values {
    const { properties, values, modelValues } = this;
    const object: { [name: string]: JsonScalar } = { ...this.model };
    for (let i = 0; i < properties.length; i++) {
      const property = properties[i];
      const value = values[i];
      if (value !== modelValues[i] && value !== undefined && property) object[property.name] = value;
    }
    return object;
  }

  private build(): Values {
    const object: { [name: string]: JsonScalar } = { ...this.frame };
    for (const [i, { name }] of this.properties.entries()) {
      const value = this.values[i] ?? null;
      if (value !== null || this.nulls === 'kept') object[name] = value;
    }
    return object;
  }
}
