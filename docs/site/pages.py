# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ as MkDocs takes them: README becomes the first page, links to it and to folders of examples
lead to pages, and what belongs to an item of a list is indented by four, as Python's Markdown wants it.
"""
import os
import re
import shutil

LEFT_OUT = ('site', 'Doxyfile', 'reference.awk')
ITEM = re.compile(r'^( *)([-*]|[0-9]+\.) +')


def indented(text):
    """Items of lists, and what belongs to them, by four blanks a level."""
    out, columns = [], []
    for line in text.split('\n'):
        blanks = len(line) - len(line.lstrip(' '))
        if line.strip():
            while columns and blanks < columns[-1]:
                columns.pop()
        base = columns[-1] if columns else 0
        item = ITEM.match(line) if blanks < base + 4 else None
        out.append(' ' * (4 * len(columns)) + line[base:] if line.strip() else '')
        if item:
            columns.append(item.end())
    return '\n'.join(out)


def outside_code(text, change):
    """`change` of what stands outside of blocks between three backquotes."""
    parts = re.split(r'(^```.*?^```$)', text, flags=re.M | re.S)
    return ''.join(part if part.startswith('```') else change(part) for part in parts)


def copy_page(source, target, links):
    with open(source) as file:
        text = outside_code(file.read(), lambda part: indented(links(part)))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, 'w') as file:
        file.write(text)


def of_readme(text):
    return text.replace('](docs/', '](')


def of_page(text):
    text = re.sub(r'\]\(((\.\./)*)\.\./README\.md', r'](\1index.md', text)
    return re.sub(r'\]\(((\.\./)*examples/[a-z]+)\)', r'](\1/index.md)', text)


def write_examples(source, target):
    """A page of a folder's files."""
    name = os.path.basename(source)
    out = ['# Examples: %s\n\nThese are the files of `docs/examples/%s`.\n' % (name, name)]
    for file in sorted(os.listdir(source)):
        with open(os.path.join(source, file)) as text:
            kind = 'c' if file.endswith(('.c', '.h', '.cl')) else 'python' if file.endswith('.py') else 'text'
            out.append('## %s\n\n```%s\n%s```\n' % (file, kind, text.read()))
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, 'index.md'), 'w') as page:
        page.write('\n'.join(out))


def write(root, target):
    docs = os.path.join(root, 'docs')
    for folder, folders, files in os.walk(docs):
        folders[:] = [f for f in folders if f not in LEFT_OUT and os.path.join(folder, f) != os.path.join(docs, 'examples')]
        for file in files:
            there = os.path.join(target, os.path.relpath(os.path.join(folder, file), docs))
            if file in LEFT_OUT:
                continue
            if file.endswith('.md'):
                copy_page(os.path.join(folder, file), there, of_page)
            else:
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copyfile(os.path.join(folder, file), there)
    for name in os.listdir(os.path.join(docs, 'examples')):
        write_examples(os.path.join(docs, 'examples', name), os.path.join(target, 'examples', name))
    copy_page(os.path.join(root, 'README.md'), os.path.join(target, 'index.md'), of_readme)
