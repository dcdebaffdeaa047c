# SPDX-License-Identifier: Apache-2.0
"""The reference of the public headers as Markdown, from what Doxygen read of them (XML).

Doxygen's text has few kinds of marks here: paragraphs, code, links, parameters, return values.
"""
import os
import re
import xml.etree.ElementTree as ElementTree

KINDS = ('define', 'enum', 'typedef', 'function', 'variable')


def escaped(text):
    """Plain text, as Markdown takes it."""
    return re.sub(r'([\\`*_{}\[\]<>#|])', r'\\\1', text)


def page_of(name):
    """The file of a header's page."""
    return os.path.splitext(name)[0].replace('/', '-') + '.md'


class Reference:
    def __init__(self, folder):
        self.compounds = [root.find('compounddef') for root in self.read(folder)]
        self.structs = {c.get('id'): c for c in self.compounds if c.get('kind') == 'struct'}
        self.headers = [c for c in self.compounds if c.get('kind') == 'file']
        self.places = {}
        for header in self.headers:
            self.note_places(header)

    @staticmethod
    def read(folder):
        for name in sorted(os.listdir(folder)):
            if name.endswith('.xml') and name != 'index.xml' and name != 'Doxyfile.xml':
                yield ElementTree.parse(os.path.join(folder, name)).getroot()

    @staticmethod
    def name_of(header):
        """heap.h, mpi/heap.h: a header as it is included, without clade/."""
        return re.sub(r'^.*\bclade/(?=([a-z]+/)?[^/]*$)', '', header.find('location').get('file'))

    @staticmethod
    def page_of(header):
        return page_of(Reference.name_of(header))

    def note_places(self, header):
        """Where each id that text may link to is described."""
        page = self.page_of(header)
        for member in header.iter('memberdef'):
            self.places[member.get('id')] = page + '#' + member.findtext('name')
            for value in member.iter('enumvalue'):
                self.places[value.get('id')] = page + '#' + member.findtext('name')
        for inner in header.findall('innerclass'):
            self.places[inner.get('refid')] = page + '#' + inner.text

    # --- text --------------------------------------------------------------------------------

    def inline(self, node):
        """A paragraph's text; the lists of parameters in it are left to others."""
        text = escaped(node.text or '')
        for part in node:
            if part.tag == 'computeroutput':
                text += '`' + ''.join(part.itertext()) + '`'
            elif part.tag == 'ref':
                text += self.link(part)
            elif part.tag == 'hellip':
                text += '..'
            elif part.tag not in ('parameterlist', 'simplesect'):
                text += self.inline(part)
            text += escaped(part.tail or '')
        return text

    def link(self, ref):
        place = self.places.get(ref.get('refid'))
        name = escaped(''.join(ref.itertext()))
        return '[%s](%s)' % (name, place) if place else name

    def paragraphs(self, node):
        if node is None:
            return []
        texts = [' '.join(self.inline(para).split()) for para in node.findall('para')]
        return [text for text in texts if text]

    def sentence(self, *nodes):
        return ' '.join(text for node in nodes for text in self.paragraphs(node))

    def items(self, member, kind):
        for items in member.iter('parameterlist'):
            if items.get('kind') == kind:
                for item in items.findall('parameteritem'):
                    names = ', '.join('`%s`' % ''.join(n.itertext()) for n in item.iter('parametername'))
                    yield names, self.sentence(item.find('parameterdescription'))

    # --- members -----------------------------------------------------------------------------

    @staticmethod
    def signature(member):
        kind = member.get('kind')
        head = re.sub(r'\s*\*\s*$', ' *', member.findtext('definition') or '')
        head = re.sub(r'\* (\w+)$', r'*\1', head)
        if kind == 'define':
            params = [p.findtext('defname') or '' for p in member.findall('param')]
            value = ' '.join((member.findtext('initializer') or '').split())
            name = member.findtext('name') + ('(%s)' % ', '.join(params) if params else '')
            return ('#define %s %s' % (name, value if len(value) < 60 else '')).rstrip()
        if kind != 'function':
            return head + (member.findtext('argsstring') or '') + ';'
        params = ['%s%s' % (''.join(p.find('type').itertext()), p.findtext('declname') or '')
                  if ''.join(p.find('type').itertext()).endswith('*')
                  else ' '.join(x for x in (''.join(p.find('type').itertext()), p.findtext('declname')) if x)
                  for p in member.findall('param')]
        short = '%s(%s);' % (head, ', '.join(params))
        return short if len(short) <= 72 else '%s(\n    %s);' % (head, ',\n    '.join(params))

    def table(self, title, rows):
        rows = list(rows)
        if not rows:
            return []
        return ['| %s | |\n|---|---|' % title + ''.join('\n| %s | %s |' % row for row in rows)]

    def describe(self, member):
        name = member.findtext('name')
        out = ['## %s {#%s}' % (escaped(name), name), '```c\n%s\n```' % self.signature(member)]
        out += self.paragraphs(member.find('briefdescription'))
        out += self.paragraphs(member.find('detaileddescription'))
        if member.get('kind') == 'enum':
            out += self.table('value', (
                ('`%s`' % v.findtext('name'), self.sentence(v.find('briefdescription'), v.find('detaileddescription')))
                for v in member.iter('enumvalue')))
        out += self.table('parameter', self.items(member, 'param'))
        out += self.table('returns', self.items(member, 'retval'))
        for section in member.iter('simplesect'):
            if section.get('kind') == 'return':
                out.append('Returns: ' + self.sentence(section))
        return out

    def describe_struct(self, name, struct, typedef):
        out = ['## %s {#%s}' % (escaped(name), name)]
        for node in (typedef, struct):
            if node is not None:
                texts = self.paragraphs(node.find('briefdescription')) + self.paragraphs(node.find('detaileddescription'))
                out += [text for text in texts if text not in out]
        rows = ('| `%s%s` | `%s` | %s |' % (
            m.findtext('name'), m.findtext('argsstring') or '', ' '.join(''.join(m.find('type').itertext()).split()),
            self.sentence(m.find('briefdescription'), m.find('detaileddescription'))) for m in struct.iter('memberdef'))
        return out + ['| field | type | |\n|---|---|---|\n' + '\n'.join(rows)]

    @staticmethod
    def line(node):
        place = node.find('location')
        return int(place.get('line') or 0) if place is not None else 0

    def page(self, header):
        name = self.name_of(header)
        structs = {inner.text: self.structs[inner.get('refid')] for inner in header.findall('innerclass')
                   if inner.get('refid') in self.structs}
        parts = {}
        for member in header.iter('memberdef'):
            own = member.findtext('name')
            if member.get('kind') not in KINDS or own in structs or own.endswith('_H'):
                continue
            parts.setdefault(self.line(member), []).append(self.describe(member))
        typedefs = {m.findtext('name'): m for m in header.iter('memberdef') if m.get('kind') == 'typedef'}
        for own, struct in structs.items():
            parts.setdefault(self.line(struct), []).append(self.describe_struct(own, struct, typedefs.get(own)))
        out = ['# %s' % escaped(name)]
        out += self.paragraphs(header.find('briefdescription')) + self.paragraphs(header.find('detaileddescription'))
        for line in sorted(parts):
            for part in parts[line]:
                out += part
        return '\n\n'.join(out) + '\n'


def write(xml, folder):
    """The pages: of each header, in order, its name and its page."""
    reference = Reference(xml)
    os.makedirs(folder, exist_ok=True)
    for header in reference.headers:
        with open(os.path.join(folder, Reference.page_of(header)), 'w') as page:
            page.write(reference.page(header))
    return [(Reference.name_of(header), Reference.page_of(header)) for header in reference.headers]
